// Reads and updates auth.json, the user's keys and logins. Several processes may use the file at the same time.
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
import { Fault, getOwnValue, isRecord } from '../../base/index.ts';
import type { FileInfo, Files } from '../../contracts/index.ts';
import type { FileLockPorts } from '../../support/file-lock.ts';
import { createCachedFile } from '../cached-file.ts';

const authEntrySchema = variant('type', [
  /** A literal key, the name of a variable, or `!` and a command that prints it. */
  object({ type: literal('api_key'), key: pipe(string(), nonEmpty()) }),
  /** `expires` is in milliseconds since 1970. Unknown fields of a login are preserved. */
  looseObject({ type: literal('oauth'), access: string(), refresh: string(), expires: number() }),
]);

export type AuthEntry = InferOutput<typeof authEntrySchema>;
export type OAuthEntry = Extract<AuthEntry, { type: 'oauth' }>;

export interface AuthFile {
  readonly path: string;
  /** Entries by provider. Invalid entries are skipped with a warning. */
  read(): Promise<ReadonlyMap<string, AuthEntry>>;
  /** Runs under the file lock: `transform` receives the current entry, and its result is written. */
  update(provider: string, transform: (entry: AuthEntry | undefined) => Promise<AuthEntry>): Promise<AuthEntry>;
  /** Removes entries, including invalid ones. Returns the providers whose entries were removed. */
  remove(shouldRemove: (provider: string) => boolean): Promise<string[]>;
}

export interface AuthFileOptions extends FileLockPorts {
  directory: string;
  platform: string;
  warn(sentence: string): void;
}

/** The one key that is not a provider: the logins of MCP servers, by URL. */
export const MCP_LOGINS_KEY = 'mcpServers';

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;

export function createAuthFile({ directory, platform, warn, ...ports }: AuthFileOptions): AuthFile {
  const path = getAuthFilePath(directory);
  const { files } = ports;
  const file = createCachedFile(files, path, async (text, info) => {
    if (info && isAccessibleToOthers(info, platform))
      warn(`${path} can be read by others; make it private: chmod 600 ${path}`);
    try {
      return parseEntries(text, path, warn);
    } catch (thrown) {
      warn(`${(thrown as Fault).message}; the file is ignored`);
      return new Map<string, AuthEntry>();
    }
  });
  const rewrite = (change: ChangeContents) => rewriteAuthFile(ports, directory, change);
  return {
    path,
    read: file.read,
    async update(provider, transform) {
      let entry: AuthEntry | undefined;
      await rewrite(async (contents) => {
        entry = await transform(parseEntry(getOwnValue(contents, provider)));
        return { ...contents, [provider]: entry };
      });
      return entry as AuthEntry;
    },
    async remove(shouldRemove) {
      const removed: string[] = [];
      if (!(await files.info(path))) return removed;
      await rewrite(async (contents) => {
        removed.push(...Object.keys(contents).filter((key) => key !== MCP_LOGINS_KEY && shouldRemove(key)));
        if (removed.length === 0) return undefined;
        return Object.fromEntries(Object.entries(contents).filter(([provider]) => !removed.includes(provider)));
      });
      return removed;
    },
  };
}

type Contents = Record<string, unknown>;
/** Returns the new contents, or `undefined` to leave the file unchanged. */
type ChangeContents = (contents: Contents) => Promise<Contents | undefined>;

/** Runs `change` under the file lock. */
export async function rewriteAuthFile(ports: FileLockPorts, directory: string, change: ChangeContents): Promise<void> {
  const path = getAuthFilePath(directory);
  const { withFileLock } = await import('../../support/file-lock.ts');
  await ports.files.makeDirectory(directory, { mode: PRIVATE_DIRECTORY });
  await withFileLock(ports, path, async (assertLockHeld) => {
    const contents = await change(await readAuthFile(ports.files, directory));
    if (!contents) return;
    await assertLockHeld();
    const text = `${JSON.stringify(contents, null, 2)}\n`;
    await ports.files.replace(path, new TextEncoder().encode(text), { mode: PRIVATE_FILE });
  });
}

/** Throws a Fault when the file is not a JSON object. */
export async function readAuthFile(files: Pick<Files, 'info' | 'read'>, directory: string): Promise<Contents> {
  const path = getAuthFilePath(directory);
  const bytes = (await files.info(path)) && (await files.read(path));
  return parseObject(bytes && new TextDecoder().decode(bytes), path);
}

function getAuthFilePath(directory: string): string {
  return `${directory}/auth.json`;
}

function isAccessibleToOthers({ mode }: FileInfo, platform: string): boolean {
  return platform !== 'win32' && (mode & 0o077) !== 0;
}

function parseEntries(text: string | undefined, path: string, warn: AuthFileOptions['warn']): Map<string, AuthEntry> {
  const entries = new Map<string, AuthEntry>();
  for (const [provider, value] of Object.entries(parseObject(text, path))) {
    if (provider === MCP_LOGINS_KEY) continue;
    const entry = parseEntry(value);
    if (entry) entries.set(provider, entry);
    else warn(`${path}: "${provider}" is neither {"type":"api_key","key":…} nor an oauth login; it is ignored`);
  }
  return entries;
}

function parseEntry(value: unknown): AuthEntry | undefined {
  const result = safeParse(authEntrySchema, value);
  return result.success ? result.output : undefined;
}

/** The error does not quote the file, because its text may contain a key. */
function parseObject(text: string | undefined, path: string): Contents {
  if (text === undefined || text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Reported below, because the parser's error would quote the text.
  }
  throw new Fault('config', `${path} does not contain a JSON object`);
}
