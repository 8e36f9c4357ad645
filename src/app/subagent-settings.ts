// Converts settings to the options of subagents. Loaded with the first task.
import type { SettingValues } from '../settings/index.ts';

export function toSubagentSettings(settings: SettingValues) {
  return {
    maxConcurrency: settings['task.maxConcurrency'],
    maxRecursionDepth: settings['task.maxRecursionDepth'],
    disabledAgents: settings['task.disabledAgents'],
    modelOverrides: settings['task.agentModelOverrides'],
    isolation: {
      mode: settings['task.isolation.mode'],
      merge: settings['task.isolation.merge'],
      commits: settings['task.isolation.commits'],
    },
    verification: {
      enabled: settings['task.verification.enabled'],
      defaultProfile: settings['task.verification.defaultProfile'],
      requireForIsolated: settings['task.verification.requireForIsolated'],
      maxRetries: settings['task.verification.maxRetries'],
      failureContextLineLimit: settings['task.verification.failureContextLineLimit'],
      profiles: settings['task.verification.profiles'],
    },
  };
}
