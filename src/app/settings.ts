// Settings from files, laid over the defaults. A wrong value is reported and ignored, unless it would have restricted something.
import { join, resolve } from 'node:path';
import { Fault, isRecord, kindOf, messageOf, systemCode } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';
import {
  checkSetting,
  flattened,
  isElsewhere,
  isGroup,
  isKnown,
  mayRestrict,
  namesRestriction,
  settingValue,
  unknownKey,
} from './settings-keys.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey, type SettingValues } from './settings-table.ts';
import { lineOfKey, parseSettings } from './settings-text.ts';

export interface Settings {
  readonly values: SettingValues;
  /** Where each value comes from: `default`, `--set`, or the path of a file. */
  readonly origin: Readonly<Record<SettingKey, string>>;
  /** Keys that nobody here knows, flat and dotted, for extensions that may. */
  readonly others: Readonly<Record<string, unknown>>;
  /** One sentence each, naming file, line and key. */
  readonly problems: readonly string[];
  /** Those of the problems that may have lifted a restriction. */
  readonly unsafe: readonly string[];
}

export interface SettingsPlace {
  readonly files: Pick<Files, 'info' | 'read'>;
  /** The user's own directory; the file in it is `settings.json`. */
  readonly directory: string;
  /** The working directory, when it is trusted: its files are laid over the user's. */
  readonly project?: string | undefined;
  /** `KEY=VALUE`, as the command line says it: over everything else. */
  readonly overrides?: readonly string[] | undefined;
}

/** The folders of a project that may hold settings, weakest first. The foreign ones are read for what both programs know. */
const PROJECT_FOLDERS = [
  { name: '.omp', foreign: true },
  { name: '.pi', foreign: true },
  { name: '.parley', foreign: false },
];

/** The user's own directory. `PI_CODING_AGENT_DIR` is what hosts of the pi family already set. */
export function userDirectory(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const named = env.PARLEY_DIR || env.PI_CODING_AGENT_DIR;
  if (!named) return join(home, '.parley');
  return named === '~' || named.startsWith('~/') ? join(home, named.slice(1)) : resolve(named);
}

/** For every program that runs an agent. Throws a Fault where a restriction cannot be understood: ignoring it would lift it. */
export async function settingsForRun(place: SettingsPlace): Promise<Settings> {
  const settings = await loadSettings(place);
  const [first] = settings.unsafe;
  if (first === undefined) return settings;
  throw new Fault('config', `${first}. It may restrict what the agent does, so nothing was started.`);
}

/** Whatever is wrong with the files. For programs that show settings or repair them. */
export async function loadSettings({ files, directory, project, overrides }: SettingsPlace): Promise<Settings> {
  const draft: Draft = {
    values: Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].default])),
    origin: Object.fromEntries(SETTING_KEYS.map((key) => [key, 'default'])),
    others: [],
    problems: [],
    unsafe: [],
  };
  for (const { file, foreign } of settingsFiles(directory, project)) {
    let text: string | undefined;
    try {
      text = await readText(files, file);
      if (text !== undefined) await layOver(draft, { file, text, foreign });
    } catch (thrown) {
      // A file that cannot be read may say anything.
      const hidden = text === undefined && !(thrown instanceof Fault) && systemCode(thrown) !== undefined;
      const problem = hidden ? await unreadable(thrown) : `${file}: ${messageOf(thrown)}`;
      draft.problems.push(`${problem}; the file is ignored`);
      const rights = hidden ? `${problem}. Check its rights, or name another directory with PARLEY_DIR` : problem;
      if (hidden || namesRestriction(text ?? '')) draft.unsafe.push(rights);
    }
  }
  for (const words of overrides ?? []) override(draft, words);
  // Every key was put in from the table above, and every value passed its schema.
  return { ...draft, others: Object.fromEntries(draft.others) } as unknown as Settings;
}

async function unreadable(thrown: unknown): Promise<string> {
  return (await import('../base/system-error.ts')).sentenceOf(thrown);
}

/** These in the place of the defaults, where nobody has set anything. */
export function withDefaults({ values, origin }: Settings, own: Readonly<Record<string, unknown>>): SettingValues {
  const unset = Object.entries(own).filter(([key]) => origin[key as SettingKey] === 'default');
  return unset.length === 0 ? values : { ...values, ...Object.fromEntries(unset) };
}

function settingsFiles(directory: string, project: string | undefined): { file: string; foreign: boolean }[] {
  const user = { file: join(directory, 'settings.json'), foreign: false };
  if (project === undefined) return [user];
  const folders = PROJECT_FOLDERS.map(({ name, foreign }) => ({ file: join(project, name, 'settings.json'), foreign }));
  // The home directory may itself be the project.
  return [user, ...folders.filter(({ file }) => file !== user.file)];
}

interface Draft {
  readonly values: Record<string, unknown>;
  readonly origin: Record<string, string>;
  readonly others: [string, unknown][];
  readonly problems: string[];
  readonly unsafe: string[];
}

interface Layer {
  readonly file: string;
  readonly text: string;
  /** Another program's: what it says beyond our keys is none of our business. */
  readonly foreign: boolean;
}

async function readText(files: SettingsPlace['files'], file: string): Promise<string | undefined> {
  const info = await files.info(file);
  if (info === undefined) return undefined;
  // Reading a pipe would wait for a writer that never comes.
  if (info.kind !== 'file') throw new Fault('config', `is a ${info.kind}, not a file`);
  return new TextDecoder().decode(await files.read(file));
}

async function layOver(draft: Draft, { file, text, foreign }: Layer): Promise<void> {
  const parsed = await parseSettings(text);
  if (!isRecord(parsed)) throw new Fault('config', `holds ${kindOf(parsed)} where an object is wanted`);
  for (const { key, path, value } of flattened(parsed)) {
    // Hosts write null for "not set".
    if (value === null) continue;
    try {
      take(draft, key, value, file);
      if (!isKnown(key) && !foreign && !isElsewhere(path)) throw unknownKey(key);
    } catch (thrown) {
      const problem = `${file}:${await lineOfKey(text, path)}: ${messageOf(thrown)}`;
      draft.problems.push(`${problem}; it is ignored`);
      if (mayRestrict(key)) draft.unsafe.push(problem);
    }
  }
}

function take(draft: Draft, key: string, value: unknown, origin: string): void {
  if (isKnown(key)) {
    draft.values[key] = checkSetting(key, value);
    draft.origin[key] = origin;
  } else if (isGroup(key)) throw new Fault('config', `${key} must be an object (got ${kindOf(value)})`);
  else draft.others.push([key, value]);
}

/** What the user typed just now must be right: nobody would see a warning that it is not. */
function override(draft: Draft, words: string): void {
  const [, key = '', value = ''] = /^([^=]*)=(.*)$/s.exec(words) ?? [];
  if (key === '') throw new Fault('config', `--set takes KEY=VALUE (got "${words}")`);
  try {
    if (!isKnown(key)) throw unknownKey(key);
    take(draft, key, settingValue(key, value), '--set');
  } catch (thrown) {
    throw new Fault('config', `--set: ${messageOf(thrown)}`);
  }
}
