// Loads settings from files over the defaults. An invalid value is reported and ignored, unless the setting restricts something.
import { join, resolve } from 'node:path';
import { describeType, Fault, getErrorMessage, getSystemErrorCode, isRecord } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';
import { findKeyLine, parseJsonc } from '../support/jsonc.ts';
import {
  canRestrict,
  checkSetting,
  createUnknownKeyFault,
  flattenSettings,
  isIgnoredKey,
  isSettingGroup,
  isSettingKey,
  mentionsRestriction,
  parseSettingValue,
} from './setting-keys.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey, type SettingValues } from './settings-table.ts';

export interface LoadedSettings {
  readonly values: SettingValues;
  /** Where each value comes from: `default`, `--set`, or the path of a file. */
  readonly origin: Readonly<Record<SettingKey, string>>;
  /** Unknown keys, flat and dotted, which extensions may use. */
  readonly unknownKeys: Readonly<Record<string, unknown>>;
  /** Each is one sentence with file, line and key. */
  readonly problems: readonly string[];
  /** Problems that may have disabled a restriction. */
  readonly restrictionProblems: readonly string[];
}

export interface LoadSettingsOptions {
  readonly files: Pick<Files, 'info' | 'read'>;
  /** The user's Parley directory, which contains `settings.json`. */
  readonly agentDirectory: string;
  /** Read no settings files. */
  readonly isBare?: boolean | undefined;
  /** The working directory, if it is trusted. Its settings override the user's. */
  readonly project?: string | undefined;
  /** `KEY=VALUE` from the command line. They override all files. */
  readonly overrides?: readonly string[] | undefined;
}

/** Project folders that may contain settings, lowest precedence first. Of foreign ones only the keys that exist here are used. */
const PROJECT_FOLDERS = [
  { name: '.omp', foreign: true },
  { name: '.pi', foreign: true },
  { name: '.parley', foreign: false },
];

/** The user's Parley directory. `PI_CODING_AGENT_DIR` is the variable that hosts of pi set. */
export function resolveAgentDirectory(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const configured = env.PARLEY_DIR || env.PI_CODING_AGENT_DIR;
  if (!configured) return join(home, '.parley');
  return configured === '~' || configured.startsWith('~/') ? join(home, configured.slice(1)) : resolve(configured);
}

/** For programs that run an agent. Throws a Fault for an invalid restriction, because ignoring it would disable it. */
export async function loadSettingsForRun(options: LoadSettingsOptions): Promise<LoadedSettings> {
  const settings = await loadSettings(options);
  const [first] = settings.restrictionProblems;
  if (first === undefined) return settings;
  throw new Fault('config', `${first}. It may restrict what the agent does, so nothing was started.`);
}

/** Loads settings even if files are invalid. For programs that show or fix settings. */
export async function loadSettings({
  files,
  agentDirectory,
  isBare,
  project,
  overrides,
}: LoadSettingsOptions): Promise<LoadedSettings> {
  const settingsDraft: SettingsDraft = {
    values: Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].default])),
    origin: Object.fromEntries(SETTING_KEYS.map((key) => [key, 'default'])),
    unknownKeys: [],
    problems: [],
    restrictionProblems: [],
  };
  for (const { file, foreign } of isBare ? [] : listSettingsFiles(agentDirectory, project)) {
    let text: string | undefined;
    try {
      text = await readText(files, file);
      if (text !== undefined) await applyLayer(settingsDraft, { file, text, foreign });
    } catch (thrown) {
      // A file that cannot be read may contain a restriction.
      const isUnreadable = text === undefined && !(thrown instanceof Fault) && getSystemErrorCode(thrown) !== undefined;
      const problem = isUnreadable ? await describeReadError(thrown) : `${file}: ${getErrorMessage(thrown)}`;
      settingsDraft.problems.push(`${problem}; the file is ignored`);
      const restrictionProblem = isUnreadable
        ? `${problem}. Check its permissions, or set PARLEY_DIR to another directory`
        : problem;
      if (isUnreadable || mentionsRestriction(text ?? '')) settingsDraft.restrictionProblems.push(restrictionProblem);
    }
  }
  for (const override of overrides ?? []) applyOverride(settingsDraft, override);
  // The draft has all keys of SETTINGS, and every value has passed its schema.
  return { ...settingsDraft, unknownKeys: Object.fromEntries(settingsDraft.unknownKeys) } as unknown as LoadedSettings;
}

async function describeReadError(thrown: unknown): Promise<string> {
  return (await import('../base/system-error.ts')).describeSystemError(thrown);
}

/** Uses `defaults` for settings that are not set anywhere. */
export function applyDefaults(
  { values, origin }: LoadedSettings,
  defaults: Readonly<Record<string, unknown>>,
): SettingValues {
  const unset = Object.entries(defaults).filter(([key]) => origin[key as SettingKey] === 'default');
  return unset.length === 0 ? values : { ...values, ...Object.fromEntries(unset) };
}

function listSettingsFiles(directory: string, project: string | undefined): { file: string; foreign: boolean }[] {
  const user = { file: join(directory, 'settings.json'), foreign: false };
  if (project === undefined) return [user];
  const folders = PROJECT_FOLDERS.map(({ name, foreign }) => ({ file: join(project, name, 'settings.json'), foreign }));
  // If the home directory is the project, both may be the same file.
  return [user, ...folders.filter(({ file }) => file !== user.file)];
}

interface SettingsDraft {
  readonly values: Record<string, unknown>;
  readonly origin: Record<string, string>;
  readonly unknownKeys: [string, unknown][];
  readonly problems: string[];
  readonly restrictionProblems: string[];
}

interface SettingsLayer {
  readonly file: string;
  readonly text: string;
  /** The file belongs to another program. Its unknown keys are not reported. */
  readonly foreign: boolean;
}

async function readText(files: LoadSettingsOptions['files'], file: string): Promise<string | undefined> {
  const info = await files.info(file);
  if (info === undefined) return undefined;
  // Reading a pipe would block.
  if (info.kind !== 'file') throw new Fault('config', `is a ${info.kind}, not a file`);
  return new TextDecoder().decode(await files.read(file));
}

async function applyLayer(settingsDraft: SettingsDraft, { file, text, foreign }: SettingsLayer): Promise<void> {
  const parsed = await parseJsonc(text);
  if (!isRecord(parsed)) throw new Fault('config', `must contain a JSON object (got ${describeType(parsed)})`);
  for (const { key, path, value } of flattenSettings(parsed)) {
    // Hosts write null for "not set".
    if (value === null) continue;
    try {
      assignSetting(settingsDraft, key, value, file);
      if (!isSettingKey(key) && !foreign && !isIgnoredKey(path)) throw createUnknownKeyFault(key);
    } catch (thrown) {
      const problem = `${file}:${await findKeyLine(text, path)}: ${getErrorMessage(thrown)}`;
      settingsDraft.problems.push(`${problem}; it is ignored`);
      if (canRestrict(key)) settingsDraft.restrictionProblems.push(problem);
    }
  }
}

function assignSetting(settingsDraft: SettingsDraft, key: string, value: unknown, origin: string): void {
  if (isSettingKey(key)) {
    settingsDraft.values[key] = checkSetting(key, value);
    settingsDraft.origin[key] = origin;
  } else if (isSettingGroup(key)) throw new Fault('config', `${key} must be an object (got ${describeType(value)})`);
  else settingsDraft.unknownKeys.push([key, value]);
}

/** Throws a Fault for an invalid override, because the user would not see a warning. */
function applyOverride(settingsDraft: SettingsDraft, text: string): void {
  const [, key = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (key === '') throw new Fault('config', `--set takes KEY=VALUE (got "${text}")`);
  try {
    if (!isSettingKey(key)) throw createUnknownKeyFault(key);
    assignSetting(settingsDraft, key, parseSettingValue(key, value), '--set');
  } catch (thrown) {
    throw new Fault('config', `--set: ${getErrorMessage(thrown)}`);
  }
}
