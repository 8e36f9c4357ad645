// Applies the layers of settings to a draft: files and `--set`. Collects rules and problems.
import { resolve } from 'node:path';
import { describeType, Fault, getErrorMessage, isRecord } from '../base/index.ts';
import type { PermissionDecision } from '../contracts/index.ts';
import { resolveUserPath } from '../support/home-directory.ts';
import { findKeyLine, parseJsonc } from '../support/jsonc.ts';
import {
  checkSetting,
  flattenSettings,
  isSettingGroup,
  isSettingKey,
  parseSettingValue,
  unite,
} from './setting-keys.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey } from './settings-table.ts';

/** A rule of the settings `permissions.*`. */
export interface ConfiguredRule {
  readonly decision: PermissionDecision;
  /** `tool` or `tool(pattern)`. */
  readonly text: string;
  /** Flags and `--set` belong to the user. */
  readonly scope: 'user' | 'project';
  /** The path of a file, or the name of a flag. */
  readonly origin: string;
}

export interface SettingsFile {
  readonly file: string;
  /** The file belongs to another program. Its unknown keys are not reported. */
  readonly foreign: boolean;
  readonly scope: ConfiguredRule['scope'];
}

/** Settings while they are loaded. */
export interface SettingsDraft {
  readonly values: Record<string, unknown>;
  readonly origin: Record<string, string>;
  readonly rules: ConfiguredRule[];
  readonly unknownKeys: [string, unknown][];
  readonly problems: string[];
  readonly restrictionProblems: string[];
}

/** From `--set`. */
export type Override = readonly [key: SettingKey, value: unknown];

interface SettingsLayer extends SettingsFile {
  readonly text: string;
  readonly overrides: readonly Override[];
  /** Replaces `~` in paths. */
  readonly home: string;
}

export function createDraft(): SettingsDraft {
  return {
    values: Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].default])),
    origin: Object.fromEntries(SETTING_KEYS.map((key) => [key, 'default'])),
    rules: [],
    unknownKeys: [],
    problems: [],
    restrictionProblems: [],
  };
}

/** The rules in `values`, which may be incomplete settings. */
export function listRules(
  values: Readonly<Record<string, unknown>>,
  scope: ConfiguredRule['scope'],
  origin: string,
): ConfiguredRule[] {
  return (['allow', 'ask', 'deny'] as const).flatMap((decision) => {
    const texts = (values[`permissions.${decision}`] ?? []) as readonly string[];
    return texts.map((text) => ({ decision, text, scope, origin }));
  });
}

/** The value of a flag or `--set`: most replace the value of the files, some are added to it. */
export function accumulate(key: SettingKey, current: unknown, value: unknown): unknown {
  const isAdded = String(SETTINGS[key].fromProject).startsWith('accumulate');
  return isAdded ? unite(current, value) : value;
}

export async function applyLayer(draft: SettingsDraft, layer: SettingsLayer): Promise<void> {
  const { file, text, foreign, scope, home } = layer;
  const parsed = await parseJsonc(text);
  if (!isRecord(parsed)) throw new Fault('config', `must contain a JSON object (got ${describeType(parsed)})`);
  if (text.includes('"permissions')) await (await import('./duplicate-keys.ts')).checkUniqueRuleLists(text);
  const combine = scope === 'user' ? undefined : await createCombiner(draft, layer);
  for (const { key, path, value } of flattenSettings(parsed)) {
    // Hosts write null for "not set".
    if (value === null) continue;
    let isValid = false;
    try {
      if (isSettingKey(key)) {
        const checked = expandPaths(key, checkSetting(key, value), home);
        await checkPatterns(key, checked);
        isValid = true;
        assignSetting(draft, key, combine ? combine(key, checked) : accumulate(key, draft.values[key], checked), file);
        draft.rules.push(...listRules({ [key]: checked }, scope, file));
      } else if (isSettingGroup(key))
        throw new Fault('config', `${key} must be an object (got ${describeType(value)})`);
      else {
        draft.unknownKeys.push([key, value]);
        if (!foreign) (await import('./unknown-keys.ts')).checkUnknownKey(path);
      }
    } catch (thrown) {
      const problem = `${file}:${await findKeyLine(text, path)}: ${getErrorMessage(thrown)}`;
      draft.problems.push(`${problem}; it is ignored`);
      if (!isValid && (await import('./unknown-keys.ts')).canRestrict(key)) draft.restrictionProblems.push(problem);
    }
  }
}

/** Only the user and the command line can allow more. */
async function createCombiner({ values }: SettingsDraft, { overrides }: SettingsLayer) {
  const { combineWithProject } = await import('./combine-values.ts');
  const key: SettingKey = 'permissions.allowProjectRules';
  const override = overrides.findLast(([name]) => name === key);
  const allowProjectRules = Boolean(override ? override[1] : values[key]);
  return (name: SettingKey, value: unknown) => combineWithProject(name, values[name], value, { allowProjectRules });
}

/** Values that are not replaced but added to come from several sources. */
function assignSetting(draft: SettingsDraft, key: SettingKey, value: unknown, origin: string): void {
  const before = draft.values[key];
  const isAdded =
    Array.isArray(before) && Array.isArray(value) && before.length > 0 && before.every((item) => value.includes(item));
  draft.values[key] = value;
  draft.origin[key] = isAdded && draft.origin[key] !== origin ? `${draft.origin[key]}, ${origin}` : origin;
}

export function applyOverrides(draft: SettingsDraft, overrides: readonly Override[]): void {
  for (const [key, value] of overrides) {
    assignSetting(draft, key, accumulate(key, draft.values[key], value), '--set');
    draft.rules.push(...listRules({ [key]: value }, 'user', '--set'));
  }
}

/** Throws a Fault for an invalid override, because the user would not see a warning. */
export async function parseOverride(text: string, home: string): Promise<Override> {
  const [, key = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (key === '') throw new Fault('config', `--set takes KEY=VALUE (got "${text}")`);
  try {
    if (!isSettingKey(key)) throw (await import('./unknown-keys.ts')).createUnknownKeyFault(key);
    const parsed = expandPaths(key, parseSettingValue(key, value), home);
    await checkPatterns(key, parsed);
    return [key, parsed];
  } catch (thrown) {
    throw new Fault('config', `--set: ${getErrorMessage(thrown)}`);
  }
}

/** Also for flags, which do not pass the checks of the files. Throws a Fault. */
export async function checkPatterns(key: SettingKey, value: unknown): Promise<void> {
  if (!/^(permissions\.|sandbox\.allowedHosts$)/.test(key) || !Array.isArray(value) || value.length === 0) return;
  await (await import('./check-patterns.ts')).checkPatterns(key, value);
}

function expandPaths(key: SettingKey, value: unknown, home: string): unknown {
  if (!('isPathList' in SETTINGS[key])) return value;
  return (value as readonly string[]).map((path) => resolve(resolveUserPath(path, { cwd: '/', home })));
}
