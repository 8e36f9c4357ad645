// What may be written to a setting, for programs that change settings of a scope. Loaded on demand.
import { Fault } from '../base/index.ts';
import { checkSetting, isSettingKey } from './setting-keys.ts';
import { checkPatterns } from './settings-draft.ts';
import { type ProjectRule, SETTINGS, type SettingKey } from './settings-table.ts';
import { createUnknownKeyFault } from './unknown-keys.ts';

export { combineWithProject } from './combine-values.ts';

export interface SettingRule {
  readonly default: unknown;
  /** It forbids or limits something. */
  readonly restricts: boolean;
  /** What the value of a trusted project does to that of the user. */
  readonly project: 'replaces' | 'restricts' | 'ignored';
}

export function getSettingRule(key: SettingKey): SettingRule {
  const setting = SETTINGS[key];
  const fromProject: ProjectRule | undefined = setting.fromProject;
  const project = fromProject === undefined ? 'replaces' : fromProject === 'ignore' ? 'ignored' : 'restricts';
  return { default: setting.default, restricts: 'restricts' in setting, project };
}

/** Throws a Fault for a name that is no setting, and for an invalid value. */
export async function checkSettings(
  settings: Readonly<Record<string, unknown>>,
  remove: readonly string[],
): Promise<void> {
  for (const name of [...Object.keys(settings), ...remove])
    if (!isSettingKey(name)) throw new Fault('invalid_params', createUnknownKeyFault(name).message);
  const both = remove.find((name) => Object.hasOwn(settings, name));
  if (both !== undefined) throw new Fault('invalid_params', `${both} is both in settings and in remove`);
  for (const [name, value] of Object.entries(settings)) {
    checkSetting(name as SettingKey, value);
    await checkPatterns(name as SettingKey, value);
  }
}
