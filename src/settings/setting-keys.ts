// Checks, parses and flattens setting keys and values. Reads no files.
import { object, safeParse } from 'valibot';
import { isRecord } from '../base/index.ts';
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
