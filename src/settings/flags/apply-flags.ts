// Applies the flags that were given: to settings, and to the options of an agent.
import { Fault, getErrorMessage } from '../../base/index.ts';
import { checkSetting } from '../setting-keys.ts';
import { accumulate, type ConfiguredRule, checkPatterns, listRules } from '../settings-draft.ts';
import type { SettingKey, SettingValues } from '../settings-table.ts';
import type { Flag } from './flag.ts';
import { FLAGS, type FlagOptions, type FlagSettings, type FlagValues, getFieldName } from './flag-table.ts';

interface GivenFlag {
  readonly flag: Flag;
  /** As on the command line, after parsing. */
  readonly raw: unknown;
  readonly value: unknown;
}

/**
 * A flag overrides its setting, or adds to it. Called whenever settings are loaded, so that a project that is trusted later cannot override flags.
 * Throws a Fault when two flags set the same setting to different values.
 */
export function applySettingFlags(settings: SettingValues, flags: FlagValues): SettingValues {
  const given = new Map<SettingKey, GivenFlag>();
  for (const row of listGivenFlags(flags)) {
    const { setting } = row.flag;
    if (setting === undefined) continue;
    const other = given.get(setting);
    if (other && other.value !== row.value) {
      throw new Fault('config', `${formatFlag(row)} and ${formatFlag(other)} exclude each other.`);
    }
    given.set(setting, row);
  }
  const entries = [...given].map(([key, row]) => [key, accumulate(key, settings[key], checkValue(key, row))]);
  // Does not compile when the value of a flag has another type than its setting.
  return { ...settings, ...(Object.fromEntries(entries) as FlagSettings) };
}

/** The rules of flags, such as `--deny`. Must be called after `applySettingFlags`. Throws a Fault for a rule with an invalid pattern. */
export async function listFlagRules(flags: FlagValues): Promise<ConfiguredRule[]> {
  const rows = listGivenFlags(flags).flatMap(({ flag: { name, setting }, value }) =>
    setting ? [{ name, setting, value }] : [],
  );
  for (const { name, setting, value } of rows)
    await checkPatterns(setting, value).catch((thrown: unknown) => {
      throw new Fault('config', `--${name}: ${getErrorMessage(thrown)}`, { cause: thrown });
    });
  return rows.flatMap(({ name, setting, value }) => listRules({ [setting]: value }, 'user', `--${name}`));
}

/** Of several flags for one option, the last in the table counts. */
export function readFlagOptions(flags: FlagValues): FlagOptions {
  const entries = listGivenFlags(flags).flatMap(({ flag, value }) => (flag.option ? [[flag.option, value]] : []));
  // Names and types both follow from the table, which the compiler cannot verify here.
  return Object.fromEntries(entries) as FlagOptions;
}

function listGivenFlags(flags: FlagValues): GivenFlag[] {
  const values = flags as Readonly<Record<string, unknown>>;
  return FLAGS.flatMap((flag) => {
    const raw = flag.aliasOf === undefined ? values[getFieldName(flag)] : undefined;
    // An empty `list` was given: it means no names. The other lists are empty when the flag is absent.
    const isAbsent =
      raw === undefined || raw === false || (Array.isArray(raw) && raw.length === 0 && flag.kind !== 'list');
    if (isAbsent) return [];
    return [{ flag, raw, value: flag.convert ? flag.convert(raw as never) : raw }];
  });
}

function checkValue(key: SettingKey, { flag, value }: GivenFlag): unknown {
  try {
    return checkSetting(key, value);
  } catch (thrown) {
    throw new Fault('config', `--${flag.name}: ${getErrorMessage(thrown)}`, { cause: thrown });
  }
}

function formatFlag({ flag, raw }: GivenFlag): string {
  return flag.kind === 'switch' ? `--${flag.name}` : `--${flag.name} ${raw}`;
}
