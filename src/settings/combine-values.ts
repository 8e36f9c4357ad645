// Combines the values of a trusted project with those of the user: a project can only restrict. Loaded only for trusted projects.
import { Fault } from '../base/index.ts';
import { unite } from './setting-keys.ts';
import { SETTINGS, type SettingKey } from './settings-table.ts';

interface CombineOptions {
  readonly allowProjectRules: boolean;
  /** Whose value it is, for messages. */
  readonly subject?: 'a project' | 'a session';
}

/** `current` is the value of the layers below the project. Throws a Fault when the value of the project is not used. */
export function combineWithProject(
  key: SettingKey,
  current: unknown,
  value: unknown,
  { allowProjectRules, subject = 'a project' }: CombineOptions,
): unknown {
  const rule = SETTINGS[key].fromProject;
  if (rule === undefined) return value;
  if (rule === 'add' || rule === 'accumulate' || (rule === 'accumulate-if-allowed' && allowProjectRules))
    return unite(current, value);
  if (rule === 'accumulate-if-allowed') {
    if ((value as readonly unknown[]).length === 0) return current;
    throw new Fault('config', `${key} of a project is used only if the user sets permissions.allowProjectRules`);
  }
  if (JSON.stringify(current) === JSON.stringify(value)) return current;
  if (rule === 'ignore') throw new Fault('config', `${key} can only be set by the user, not by ${subject}`);
  if (!isStricter(rule, value, current)) throw new Fault('config', describeWeakerValue(subject, key, value, current));
  return value;
}

/** True for equally strict values, too. */
function isStricter(rule: 'smaller' | readonly unknown[], value: unknown, current: unknown): boolean {
  if (rule === 'smaller') return current === undefined || Number(value) <= Number(current);
  const rank = (wanted: unknown) =>
    rule.findIndex((group) => group === wanted || (Array.isArray(group) && group.includes(wanted)));
  return rank(value) >= rank(current);
}

function describeWeakerValue(subject: string, key: SettingKey, value: unknown, current: unknown): string {
  const inEffect = current === undefined ? 'the default' : JSON.stringify(current);
  return `${subject} can only restrict ${key}, and ${JSON.stringify(value)} is less strict than ${inEffect}`;
}
