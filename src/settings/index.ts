// Public API of the settings. Not exported are files that are not loaded at start, such as write-settings.ts and the documentation.
export { applySettingFlags, listFlagRules, readFlagOptions } from './flags/apply-flags.ts';
export type { Flag } from './flags/flag.ts';
export {
  FLAG_GROUPS,
  FLAGS,
  type FlagName,
  type FlagOptions,
  type FlagValues,
  getFieldName,
} from './flags/flag-table.ts';
export {
  applyDefaults,
  type EffectiveSettings,
  type LoadedSettings,
  type LoadSettingsOptions,
  loadSettings,
  loadSettingsForRun,
  resolveAgentDirectory,
} from './load-settings.ts';
export { flattenSettings, isSettingKey, parseSettingValue } from './setting-keys.ts';
export { type ConfiguredRule, listRules } from './settings-draft.ts';
export { defaultSettings, SETTING_KEYS, type SettingKey, type SettingValues } from './settings-table.ts';
