// The settings in effect with the source of each. Pure.
import type { EffectiveSetting } from '../../contracts/index.ts';
import {
  defaultSettings,
  FLAGS,
  type FlagValues,
  getFieldName,
  type LoadedSettings,
  SETTING_KEYS,
  type SettingKey,
  type SettingValues,
} from '../../settings/index.ts';

export interface EffectiveContext {
  /** In effect now. */
  readonly live: SettingValues;
  /** In effect without the changes of the session. */
  readonly base: SettingValues;
  readonly overridden: Readonly<Record<string, unknown>>;
  /** What a session that is opened now would use, with flags. */
  readonly loaded: LoadedSettings | undefined;
  readonly flags: FlagValues;
  readonly userFile: string;
}

export function describeEffective(context: EffectiveContext): Record<string, EffectiveSetting> {
  const flagKeys = listFlagKeys(context.flags);
  return Object.fromEntries(SETTING_KEYS.map((key) => [key, describeSetting(context, key, flagKeys)]));
}

function describeSetting(
  context: EffectiveContext,
  key: SettingKey,
  flagKeys: ReadonlySet<SettingKey>,
): EffectiveSetting {
  const { live, base, loaded } = context;
  const value = live[key];
  const hasNext = loaded !== undefined && !isEqual(loaded.values[key], base[key]);
  return {
    ...(value === undefined ? {} : { value }),
    source: findSource(context, key, flagKeys),
    ...(hasNext ? { nextValue: loaded.values[key] ?? null } : {}),
  };
}

function findSource(
  { live, base, overridden, loaded, userFile }: EffectiveContext,
  key: SettingKey,
  flagKeys: ReadonlySet<SettingKey>,
): EffectiveSetting['source'] {
  if (Object.hasOwn(overridden, key) || !isEqual(live[key], base[key])) return 'session';
  if (loaded && isEqual(loaded.values[key], base[key])) {
    const origins = loaded.origin[key].split(', ');
    if (flagKeys.has(key) || origins.includes('--set')) return 'flag';
    if (origins.some((origin) => origin !== 'default' && origin !== userFile)) return 'project';
    return origins.includes(userFile) ? 'user' : 'default';
  }
  return isEqual(base[key], defaultSettings[key]) ? 'default' : 'start';
}

function listFlagKeys(flags: FlagValues): ReadonlySet<SettingKey> {
  const given = flags as Readonly<Record<string, unknown>>;
  const isGiven = (value: unknown) =>
    value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
  return new Set(FLAGS.flatMap((flag) => (flag.setting && isGiven(given[getFieldName(flag)]) ? [flag.setting] : [])));
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
