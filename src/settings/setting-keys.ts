// Checks, parses and flattens setting keys and values. Reads no files.
import { object, safeParse } from 'valibot';
import { Fault, findClosestMatch, isRecord } from '../base/index.ts';
import { validate } from '../contracts/index.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey } from './settings-table.ts';

/** Throws a Fault that names the key. */
export function checkSetting(key: SettingKey, value: unknown): unknown {
  return validate(object({ [key]: SETTINGS[key].schema }), { [key]: value })[key];
}

/** Parses a value from the command line: as JSON if the result is valid for the setting, otherwise as text. */
export function parseSettingValue(key: SettingKey, text: string): unknown {
  const validValue = [parseJsonOrText(text), text].find((value) => safeParse(SETTINGS[key].schema, value).success);
  return checkSetting(key, validValue ?? parseJsonOrText(text));
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function createUnknownKeyFault(key: string): Fault {
  const replacement = findReplacement(key);
  if (replacement) return new Fault('config', `unknown setting ${key} (use ${replacement} instead)`);
  const nearestKey = findClosestMatch(key, SETTING_KEYS);
  return new Fault('config', `unknown setting ${key}${nearestKey ? ` (did you mean ${nearestKey}?)` : ''}`);
}

/** Settings of pi and oh-my-pi that forbid something there and do not exist here, with the flag or setting to use instead. */
const RESTRICTING_KEYS_OF_OTHERS: Readonly<Record<string, string>> = {
  defaultTools: '--tools',
  approvalMode: 'approval',
  'tools.approvalMode': 'approval',
  'tools.approval': 'approval',
  'bash.patterns': 'permissions.deny',
  permissionMode: 'approval',
  'permissions.mode': 'approval',
  'permissions.defaultMode': 'approval',
  'permissions.additionalDirectories': 'sandbox.writableRoots',
  approvalPolicy: 'approval',
  approval_policy: 'approval',
  sandboxMode: 'sandbox',
  sandbox_mode: 'sandbox',
  'sandbox.mode': 'sandbox',
  'sandbox.enabled': 'sandbox',
  'sandbox.allowedDomains': 'sandbox.allowedHosts',
  'sandbox.filesystem': 'sandbox.writableRoots and sandbox.deniedReads',
};

/** No setting of the program except these begins so. */
const RESTRICTING_PREFIX = /^(?:permission|approval|sandbox|paths?\b)/i;

/** Whether an unknown or invalid setting may have been meant to forbid or limit something. */
export function canRestrict(key: string): boolean {
  if (isSettingKey(key)) return isRestricting(key);
  if (findReplacement(key) || RESTRICTING_PREFIX.test(key)) return true;
  const nearestKey = findClosestMatch(key, SETTING_KEYS) as SettingKey | undefined;
  return (
    (nearestKey !== undefined && isRestricting(nearestKey)) ||
    SETTING_KEYS.some((k) => k.startsWith(`${key}.`) && isRestricting(k))
  );
}

/** Whether a text that cannot be parsed contains the name of such a setting. */
export function mentionsRestriction(text: string): boolean {
  const keys = [...SETTING_KEYS.filter(isRestricting), ...Object.keys(RESTRICTING_KEYS_OF_OTHERS)];
  return keys.some((key) => text.includes(key.slice(key.lastIndexOf('.') + 1)));
}

function isRestricting(key: SettingKey): boolean {
  return 'restricts' in SETTINGS[key];
}

function findReplacement(key: string): string | undefined {
  const matchingKey = Object.keys(RESTRICTING_KEYS_OF_OTHERS).find(
    (name) => key === name || key.startsWith(`${name}.`),
  );
  return matchingKey && RESTRICTING_KEYS_OF_OTHERS[matchingKey];
}

/** Settings of pi and oh-my-pi that have no effect here. Not reported, because users may copy their settings file. */
const IGNORED_KEYS = new Set(
  [
    '$schema theme packages transport quietStartup hideThinkingBlock lastChangelogVersion collapseChangelog terminal',
    'images enabledModels thinkingBudgets branchSummary shellCommandPrefix doubleEscapeAction editorPaddingX markdown',
    'autocompleteMaxVisible showHardwareCursor modelRoles todoCompletion themes sessionDir npmCommand',
  ].flatMap((names) => names.split(' ')),
);

export function isIgnoredKey(path: readonly string[]): boolean {
  return IGNORED_KEYS.has(path[0] ?? '');
}

/** Without duplicates. */
export function unite(first: unknown, second: unknown): unknown[] {
  return [...new Set([...(first as readonly unknown[]), ...(second as readonly unknown[])])];
}

interface SettingEntry {
  readonly key: string;
  /** The path of the key in the file. */
  readonly path: readonly string[];
  readonly value: unknown;
}

/** `{ "a": { "b": 1 } }` and `{ "a.b": 1 }` are equivalent. If a file contains both, the later one is used. */
export function flattenSettings(record: Record<string, unknown>, parentPath: readonly string[] = []): SettingEntry[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const path = [...parentPath, name];
    const key = path.join('.');
    const isNested = isRecord(value) && (!isSettingKey(key) || isSettingGroup(key));
    return isNested ? flattenSettings(value, path) : [{ key, path, value }];
  });
}

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key);
}

export function isSettingGroup(key: string): boolean {
  return SETTING_KEYS.some((settingKey) => settingKey.startsWith(`${key}.`));
}
