// Describes keys that are no settings, and decides whether they may have been meant to restrict something. Loaded only for problems.
import { Fault, findClosestMatch } from '../base/index.ts';
import { isSettingKey } from './setting-keys.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey } from './settings-table.ts';

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

/** Throws a Fault, unless the key belongs to another program and restricts nothing. */
export function checkUnknownKey(path: readonly string[]): void {
  if (!IGNORED_KEYS.has(path[0] ?? '')) throw createUnknownKeyFault(path.join('.'));
}
