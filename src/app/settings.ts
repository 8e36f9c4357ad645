// The hall: the settings as they stand in files, laid over the defaults. A wrong value costs that value, never the start.
import { join, resolve } from 'node:path';
import { object } from 'valibot';
import { Fault, isRecord, kindOf, messageOf } from '../base/index.ts';
import { check, type Files } from '../contracts/index.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey, type SettingValues } from './settings-table.ts';
import { lineOfKey, parseSettings } from './settings-text.ts';

/** Where a value comes from, weakest first. The project's file joins here once a project can be trusted. */
export type SettingOrigin = 'default' | 'user';

export interface Settings {
  readonly values: SettingValues;
  readonly origin: Readonly<Record<SettingKey, SettingOrigin>>;
  /** Keys that nobody here knows, flat and dotted, for extensions that may. */
  readonly others: Readonly<Record<string, unknown>>;
  /** One sentence each, naming file, line and key. */
  readonly problems: readonly string[];
}

export interface SettingsPlace {
  readonly files: Pick<Files, 'info' | 'read'>;
  /** The user's own directory; the file in it is `settings.json`. */
  readonly directory: string;
}

/** The user's own directory. `PI_CODING_AGENT_DIR` is what hosts of the pi family already set. */
export function userDirectory(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const named = env.PARLEY_DIR || env.PI_CODING_AGENT_DIR;
  if (!named) return join(home, '.parley');
  return named === '~' || named.startsWith('~/') ? join(home, named.slice(1)) : resolve(named);
}

export async function loadSettings({ files, directory }: SettingsPlace): Promise<Settings> {
  const file = join(directory, 'settings.json');
  const draft: Draft = {
    values: Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].default])),
    origin: Object.fromEntries(SETTING_KEYS.map((key) => [key, 'default'])),
    others: [],
    problems: [],
  };
  try {
    const text = await readText(files, file);
    if (text !== undefined) await layOver(draft, { file, text, origin: 'user' });
  } catch (thrown) {
    draft.problems.push(`${file}: ${messageOf(thrown)}; the file is ignored`);
  }
  // Every key was put in from the table above, and every value passed its schema.
  return { ...draft, others: Object.fromEntries(draft.others) } as unknown as Settings;
}

interface Draft {
  readonly values: Record<string, unknown>;
  readonly origin: Record<string, SettingOrigin>;
  readonly others: [string, unknown][];
  readonly problems: string[];
}

interface Layer {
  readonly file: string;
  readonly text: string;
  readonly origin: SettingOrigin;
}

async function readText(files: SettingsPlace['files'], file: string): Promise<string | undefined> {
  const info = await files.info(file);
  if (info === undefined) return undefined;
  // Reading a pipe would wait for a writer that never comes.
  if (info.kind !== 'file') throw new Fault('config', `is a ${info.kind}, not a file`);
  return new TextDecoder().decode(await files.read(file));
}

async function layOver(draft: Draft, { file, text, origin }: Layer): Promise<void> {
  const parsed = await parseSettings(text);
  if (!isRecord(parsed)) throw new Fault('config', `holds ${kindOf(parsed)} where an object is wanted`);
  for (const { key, path, value } of flattened(parsed)) {
    // Hosts write null for "not set".
    if (value === null) continue;
    try {
      if (isKnown(key)) {
        draft.values[key] = check(object({ [key]: SETTINGS[key].schema }), { [key]: value })[key];
        draft.origin[key] = origin;
      } else if (isGroup(key)) throw new Fault('config', `${key} must be an object (got ${kindOf(value)})`);
      else draft.others.push([key, value]);
    } catch (thrown) {
      draft.problems.push(`${file}:${await lineOfKey(text, path)}: ${messageOf(thrown)}; the default stands`);
    }
  }
}

interface Leaf {
  readonly key: string;
  /** The key as the file nests it. */
  readonly path: readonly string[];
  readonly value: unknown;
}

/** `{ "a": { "b": 1 } }` and `{ "a.b": 1 }` say the same. Of two that do, the later counts. */
function flattened(record: Record<string, unknown>, above: readonly string[] = []): Leaf[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const path = [...above, name];
    const key = path.join('.');
    return isRecord(value) && !isKnown(key) ? flattened(value, path) : [{ key, path, value }];
  });
}

function isKnown(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key);
}

function isGroup(key: string): boolean {
  return SETTING_KEYS.some((known) => known.startsWith(`${key}.`));
}
