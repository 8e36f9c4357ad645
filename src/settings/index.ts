// Public API of the settings. write-settings.ts is not exported here: it is loaded only when settings are written.
export {
  applyDefaults,
  type LoadedSettings,
  type LoadSettingsOptions,
  loadSettings,
  loadSettingsForRun,
  resolveAgentDirectory,
} from './load-settings.ts';
export { APPROVAL_MODES, type APPROVAL_POLICIES, EOF_ACTIONS, STREAM_MODES, THINKING_LEVELS } from './option-values.ts';
export { applySettingFlags, type SettingFlags } from './setting-flags.ts';
export { createUnknownKeyFault, flattenSettings, isSettingKey, parseSettingValue } from './setting-keys.ts';
export { defaultSettings, SETTING_KEYS, SETTINGS, type SettingKey, type SettingValues } from './settings-table.ts';
