// The hall: keys of settings and what may stand behind them. Pure; reads no file.
import { object, safeParse } from 'valibot';
import { Fault, isRecord, nearest } from '../base/index.ts';
import { check } from '../contracts/index.ts';
import { SETTING_KEYS, SETTINGS, type SettingKey } from './settings-table.ts';

/** Throws a Fault that names the key. */
export function checkSetting(key: SettingKey, value: unknown): unknown {
  return check(object({ [key]: SETTINGS[key].schema }), { [key]: value })[key];
}

/** A value as a person types it: JSON where it is JSON and fits, otherwise the words themselves. */
export function settingValue(key: SettingKey, words: string): unknown {
  const fitting = [parsedOr(words), words].find((value) => safeParse(SETTINGS[key].schema, value).success);
  return checkSetting(key, fitting ?? parsedOr(words));
}

function parsedOr(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return words;
  }
}

export function unknownKey(key: string): Fault {
  const instead = insteadOf(key);
  if (instead) return new Fault('config', `unknown setting ${key} (use ${instead} instead)`);
  const meant = nearest(key, SETTING_KEYS);
  return new Fault('config', `unknown setting ${key}${meant ? ` (did you mean ${meant}?)` : ''}`);
}

/** Settings of pi and oh-my-pi that forbid something there and have no meaning here, with the flag or setting to use instead. */
const RESTRICTING_ELSEWHERE: Readonly<Record<string, string>> = {
  defaultTools: '--tools',
  approvalMode: 'approval',
  'tools.approvalMode': 'approval',
  'tools.approval': 'approval',
  'bash.patterns': 'approval',
  sandbox: 'a container',
};

/** Whether a setting that cannot be used may have been meant to forbid or limit something. */
export function mayRestrict(key: string): boolean {
  if (isKnown(key)) return restricts(key);
  if (insteadOf(key)) return true;
  const meant = nearest(key, SETTING_KEYS) as SettingKey | undefined;
  return (meant !== undefined && restricts(meant)) || SETTING_KEYS.some((k) => k.startsWith(`${key}.`) && restricts(k));
}

/** Whether a text that cannot be parsed names such a setting. */
export function namesRestriction(text: string): boolean {
  const keys = [...SETTING_KEYS.filter(restricts), ...Object.keys(RESTRICTING_ELSEWHERE)];
  return keys.some((key) => text.includes(key.slice(key.lastIndexOf('.') + 1)));
}

function restricts(key: SettingKey): boolean {
  return 'restricts' in SETTINGS[key];
}

function insteadOf(key: string): string | undefined {
  const own = Object.keys(RESTRICTING_ELSEWHERE).find((name) => key === name || key.startsWith(`${name}.`));
  return own && RESTRICTING_ELSEWHERE[own];
}

/** Settings of pi and oh-my-pi that mean nothing here. Their users may bring their file along. */
const ELSEWHERE = new Set(
  [
    '$schema theme packages transport quietStartup hideThinkingBlock lastChangelogVersion collapseChangelog terminal',
    'images enabledModels thinkingBudgets branchSummary shellCommandPrefix doubleEscapeAction editorPaddingX markdown',
    'autocompleteMaxVisible showHardwareCursor modelRoles todoCompletion themes sessionDir npmCommand',
  ].flatMap((names) => names.split(' ')),
);

export function isElsewhere(path: readonly string[]): boolean {
  return ELSEWHERE.has(path[0] ?? '');
}

interface Leaf {
  readonly key: string;
  /** The key as the file nests it. */
  readonly path: readonly string[];
  readonly value: unknown;
}

/** `{ "a": { "b": 1 } }` and `{ "a.b": 1 }` say the same. Of two that do, the later counts. */
export function flattened(record: Record<string, unknown>, above: readonly string[] = []): Leaf[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const path = [...above, name];
    const key = path.join('.');
    const isNested = isRecord(value) && (!isKnown(key) || isGroup(key));
    return isNested ? flattened(value, path) : [{ key, path, value }];
  });
}

export function isKnown(key: string): key is SettingKey {
  return Object.hasOwn(SETTINGS, key);
}

export function isGroup(key: string): boolean {
  return SETTING_KEYS.some((known) => known.startsWith(`${key}.`));
}
