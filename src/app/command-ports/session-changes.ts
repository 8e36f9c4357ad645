// The settings that have another value in an open session than without it: reads them, and applies those of an earlier process.
import { Fault } from '../../base/index.ts';
import type { AgentSession } from '../../contracts/index.ts';
import { isSettingKey, type SettingKey, type SettingValues } from '../../settings/index.ts';
import { checkSettings } from '../../settings/setting-rules.ts';
import type { LiveAgent } from '../apply-settings.ts';
import {
  applyToFacets,
  type ChangedValue,
  type ChangedValues,
  canChangeInSession,
  isLessStrict,
  readLiveValues,
  type SessionOverrides,
} from './session-overrides.ts';

export interface SessionChanges {
  /** Changed by `set_settings`. */
  readonly settings: ChangedValues;
  /** Changed by commands of their own, such as `set_permission_mode`. */
  readonly modes: ChangedValues;
}

const MODE_KEYS = ['steeringMode', 'followUpMode', 'interruptMode', 'compaction.enabled', 'retry.enabled'] as const;

/** `overrides` are absent while no setting was changed by `set_settings`. */
export function readSessionChanges(
  session: AgentSession,
  settings: SettingValues,
  overrides: SessionOverrides | undefined,
): SessionChanges {
  const base = overrides?.base ?? settings;
  const live = readLiveValues(session, settings);
  const describe = (key: SettingKey, value: unknown) => [key, { value, default: base[key] }] as const;
  const given = Object.entries(overrides?.settings ?? {}) as [SettingKey, unknown][];
  const modes = MODE_KEYS.filter((key) => live[key] !== settings[key]).map((key) => describe(key, live[key]));
  const { chosen } = session.approval;
  // Also when it is the default: a later default may be less strict.
  const isChosen =
    chosen !== undefined && !(given.some(([key]) => key === 'approval') && live.approval === settings.approval);
  return {
    settings: Object.fromEntries(given.map(([key, value]) => describe(key, value))),
    modes: Object.fromEntries([...modes, ...(isChosen ? [describe('approval', live.approval)] : [])]),
  };
}

/** Returns the changes that do not count now. Throws a Fault for a change that this version does not know. */
export async function restoreSessionChanges(
  { session, options: { settings } }: Pick<LiveAgent, 'session' | 'options'>,
  overrides: SessionOverrides,
  changes: SessionChanges,
): Promise<SessionChanges> {
  for (const changed of [changes.settings, changes.modes]) await checkChanges(changed);
  const unknown = Object.keys(changes.modes).find(
    (key) => key !== 'approval' && !MODE_KEYS.some((mode) => mode === key),
  );
  if (unknown !== undefined) throw new Fault('config', `${unknown} is no mode of a session`);
  const refusedSettings = overrides.restore(changes.settings);
  const refusedModes: Record<string, ChangedValue> = {};
  for (const [name, changed] of Object.entries(changes.modes)) {
    const key = name as SettingKey;
    if (isLessStrict(key, overrides.base[key], changed)) refusedModes[key] = changed;
    else applyToFacets(session, key, { ...settings, [key]: changed.value });
  }
  return { settings: refusedSettings, modes: refusedModes };
}

async function checkChanges(changes: ChangedValues): Promise<void> {
  const values = Object.fromEntries(Object.entries(changes).map(([key, { value }]) => [key, value]));
  await checkSettings(values, []);
  const other = Object.keys(values).find((key) => isSettingKey(key) && !canChangeInSession(key));
  if (other !== undefined) throw new Fault('config', `${other} cannot be changed in a session`);
}
