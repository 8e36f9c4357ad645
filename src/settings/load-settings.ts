// Loads settings from files over the defaults. An invalid value is reported and ignored, unless the setting restricts something.
import { join, resolve } from 'node:path';
import { Fault, getErrorMessage, getSystemErrorCode } from '../base/index.ts';
import type { Files } from '../contracts/index.ts';
import { homeDirectory } from '../support/home-directory.ts';
import {
  applyLayer,
  applyOverrides,
  type ConfiguredRule,
  createDraft,
  parseOverride,
  type SettingsFile,
} from './settings-draft.ts';
import type { SettingKey, SettingValues } from './settings-table.ts';

/** What a running agent needs of the loaded settings. */
export type EffectiveSettings = Pick<LoadedSettings, 'values' | 'rules'>;

export interface LoadedSettings {
  readonly values: SettingValues;
  /** The rules of all sources in the order user, project, flags. */
  readonly rules: readonly ConfiguredRule[];
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
  /** The working directory, if it is trusted. Its settings override the user's, but cannot weaken restrictions. */
  readonly project?: string | undefined;
  /** `KEY=VALUE` from the command line. They override all files. */
  readonly overrides?: readonly string[] | undefined;
  /** Replaces `~` in paths. */
  readonly home?: string | undefined;
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
export async function loadSettings(options: LoadSettingsOptions): Promise<LoadedSettings> {
  const { files, agentDirectory, isBare, project } = options;
  const home = options.home ?? homeDirectory();
  const overrides = await Promise.all((options.overrides ?? []).map((text) => parseOverride(text, home)));
  const draft = createDraft();
  for (const source of isBare ? [] : listSettingsFiles(agentDirectory, project)) {
    let text: string | undefined;
    try {
      text = await readText(files, source.file);
      if (text !== undefined) await applyLayer(draft, { ...source, text, overrides, home });
    } catch (thrown) {
      // A file that cannot be read may contain a restriction.
      const isUnreadable = text === undefined && !(thrown instanceof Fault) && getSystemErrorCode(thrown) !== undefined;
      const problem = isUnreadable ? await describeReadError(thrown) : `${source.file}: ${getErrorMessage(thrown)}`;
      draft.problems.push(`${problem}; the file is ignored`);
      const restrictionProblem = isUnreadable
        ? `${problem}. Check its permissions, or set PARLEY_DIR to another directory`
        : problem;
      const { mentionsRestriction } = await import('./unknown-keys.ts');
      if (isUnreadable || mentionsRestriction(text ?? '')) draft.restrictionProblems.push(restrictionProblem);
    }
  }
  applyOverrides(draft, overrides);
  reportExposedDirectory(draft.values['sandbox.writableRoots'] as string[], agentDirectory, draft.problems);
  // The draft has all keys of SETTINGS, and every value has passed its schema.
  return { ...draft, unknownKeys: Object.fromEntries(draft.unknownKeys) } as unknown as LoadedSettings;
}

/** The sandbox protects the directory of Parley even then, but other files of the user are exposed as well. */
function reportExposedDirectory(roots: readonly string[], agentDirectory: string, problems: string[]): void {
  const root = roots.find((path) => `${agentDirectory}/`.startsWith(`${path}/`));
  if (root !== undefined)
    problems.push(
      `sandbox.writableRoots: ${root} contains ${agentDirectory}. List only directories that tools should change`,
    );
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

function listSettingsFiles(directory: string, project: string | undefined): SettingsFile[] {
  const user: SettingsFile = { file: join(directory, 'settings.json'), foreign: false, scope: 'user' };
  if (project === undefined) return [user];
  const folders = PROJECT_FOLDERS.map(
    ({ name, foreign }): SettingsFile => ({ file: join(project, name, 'settings.json'), foreign, scope: 'project' }),
  );
  // If the home directory is the project, both may be the same file.
  return [user, ...folders.filter(({ file }) => file !== user.file)];
}

async function readText(files: LoadSettingsOptions['files'], file: string): Promise<string | undefined> {
  const info = await files.info(file);
  if (info === undefined) return undefined;
  // Reading a pipe would block.
  if (info.kind !== 'file') throw new Fault('config', `is a ${info.kind}, not a file`);
  return new TextDecoder().decode(await files.read(file));
}
