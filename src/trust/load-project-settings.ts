// Decides whether the project is trusted, and loads the settings that are in effect: files, defaults of the dialect and flags.
import { Fault } from '../base/index.ts';
import {
  applyDefaults,
  applySettingFlags,
  type FlagValues,
  type LoadedSettings,
  type LoadSettingsOptions,
  listFlagRules,
  loadSettings,
  loadSettingsForRun,
  type SettingValues,
} from '../settings/index.ts';
import { decideTrust } from './decide-trust.ts';
import type { ProjectReaderOptions } from './project-reader.ts';
import type { DecideTrustOptions, TrustDecision } from './trust-decision.ts';

export interface ProjectSettingsOptions {
  readonly files: ProjectReaderOptions['files'] & DecideTrustOptions['files'];
  readonly agentDirectory: string;
  readonly cwd: string;
  readonly home: string;
  /** `--trust`, `--no-trust` and `--set` are used, and the flags of single settings. */
  readonly flags?: FlagValues | undefined;
  /** Load settings even if one is invalid that restricts something. For programs that start no agent. */
  readonly isLenient?: boolean | undefined;
  /** Loads values that replace the program's defaults. Called with the settings without them. */
  loadDefaults?(values: SettingValues): Promise<Readonly<Record<string, unknown>>>;
  /** Called with one sentence for each problem. */
  warn(sentence: string): void;
}

export interface ProjectSettings extends LoadedSettings {
  readonly decision: TrustDecision;
}

/** With `decided`, that decision is used instead of flags and saved decisions. */
export async function loadProjectSettings(
  options: ProjectSettingsOptions,
  decided?: TrustDecision,
): Promise<ProjectSettings> {
  const { agentDirectory, cwd, home, flags = {}, warn } = options;
  if (flags.bare && flags.trust) throw new Fault('config', '--trust and --bare exclude each other.');
  const noTrust = flags.noTrust || flags.bare;
  const decision = decided ?? (await decideTrust({ ...options, trust: flags.trust, noTrust }));
  if (decision.problem) warn(decision.problem);
  const files = await createSettingsReader(options, decision);
  const project = decision.trusted ? cwd : undefined;
  const load = options.isLenient ? loadSettings : loadSettingsForRun;
  const loaded = await load({ files, agentDirectory, isBare: flags.bare, project, overrides: flags.set, home });
  for (const problem of loaded.problems) warn(problem);
  const defaults = await options.loadDefaults?.(applySettingFlags(loaded.values, flags));
  const values = applySettingFlags(applyDefaults(loaded, defaults ?? {}), flags);
  return { ...loaded, decision, values, rules: [...loaded.rules, ...(await listFlagRules(flags))] };
}

/** Loads the checks of project-reader.ts only when the project is trusted. */
async function createSettingsReader(
  { files, agentDirectory, cwd, home, warn }: ProjectSettingsOptions,
  { trusted, inventory }: TrustDecision,
): Promise<LoadSettingsOptions['files']> {
  if (!trusted) return files;
  const { createProjectReader } = await import('./project-reader.ts');
  return createProjectReader({ files, agentDirectory, cwd, home, inventory, report: warn });
}
