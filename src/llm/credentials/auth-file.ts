// First floor, llm: auth.json, the keys and logins that the user keeps. Shared by many processes; asks no provider.
import {
  type InferOutput,
  literal,
  looseObject,
  nonEmpty,
  number,
  object,
  pipe,
  safeParse,
  string,
  variant,
} from 'valibot';
import { Fault, isRecord, ownValue } from '../../base/index.ts';
import type { FileInfo } from '../../contracts/index.ts';
import { watchedFile } from '../watched-file.ts';
import type { LockPorts } from './file-lock.ts';

const authEntry = variant('type', [
  /** A literal key, the name of a variable, or `!` and a command that prints it. */
  object({ type: literal('api_key'), key: pipe(string(), nonEmpty()) }),
  /** `expires` in milliseconds since 1970. What else a login keeps is kept with it. */
  looseObject({ type: literal('oauth'), access: string(), refresh: string(), expires: number() }),
]);

export type AuthEntry = InferOutput<typeof authEntry>;
export type OAuthEntry = Extract<AuthEntry, { type: 'oauth' }>;

export interface AuthFile {
  readonly path: string;
  /** By provider. What cannot be understood is warned about and left out. */
  read(): Promise<ReadonlyMap<string, AuthEntry>>;
  /** Under the lock: `update` sees what the file says then, and what it returns is written. */
  change(provider: string, update: (entry: AuthEntry | undefined) => Promise<AuthEntry>): Promise<AuthEntry>;
}

export interface AuthFileOptions extends LockPorts {
  directory: string;
  platform: string;
  warn(sentence: string): void;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;

export function createAuthFile({ directory, platform, warn, ...ports }: AuthFileOptions): AuthFile {
  const path = `${directory}/auth.json`;
  const { files } = ports;
  const file = watchedFile(files, path, async (text, info) => {
    if (info && isOpenToOthers(info, platform))
      warn(`${path} can be read by others; make it private: chmod 600 ${path}`);
    try {
      return readEntries(text, path, warn);
    } catch (thrown) {
      warn(`${(thrown as Fault).message}; no key is taken from it`);
      return new Map<string, AuthEntry>();
    }
  });
  return {
    path,
    read: file.read,
    async change(provider, update) {
      const { withFileLock } = await import('./file-lock.ts');
      await files.makeDirectory(directory, { mode: PRIVATE_DIRECTORY });
      return withFileLock(ports, path, async (stillHeld) => {
        const bytes = (await files.info(path)) && (await files.read(path));
        const whole = parsed(bytes && new TextDecoder().decode(bytes), path);
        const entry = await update(entryOf(ownValue(whole, provider)));
        if (!(await stillHeld())) throw new Fault('busy', `${path} was taken over by another process; try again`);
        const text = `${JSON.stringify({ ...whole, [provider]: entry }, null, 2)}\n`;
        await files.replace(path, new TextEncoder().encode(text), { mode: PRIVATE_FILE });
        return entry;
      });
    },
  };
}

function isOpenToOthers({ mode }: FileInfo, platform: string): boolean {
  return platform !== 'win32' && (mode & 0o077) !== 0;
}

function readEntries(text: string | undefined, path: string, warn: AuthFileOptions['warn']): Map<string, AuthEntry> {
  const entries = new Map<string, AuthEntry>();
  for (const [provider, value] of Object.entries(parsed(text, path))) {
    const entry = entryOf(value);
    if (entry) entries.set(provider, entry);
    else warn(`${path}: "${provider}" is neither {"type":"api_key","key":…} nor an oauth login; it is ignored`);
  }
  return entries;
}

function entryOf(value: unknown): AuthEntry | undefined {
  const read = safeParse(authEntry, value);
  return read.success ? read.output : undefined;
}

/** Says nothing of what stands in the file: it may be a key. */
function parsed(text: string | undefined, path: string): Record<string, unknown> {
  if (text === undefined || text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Told below: the error of the parser would quote the text.
  }
  throw new Fault('config', `${path} does not hold a JSON object`);
}
