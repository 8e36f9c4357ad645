// The hall: what the settings say about one session, as far as it may change while the session lives.
import type { SessionOptions } from '../core/index.ts';
import type { SettingValues } from './settings-table.ts';

type Tuning = Pick<SessionOptions, 'toolOptions' | 'compaction' | 'retry'> & Required<Pick<SessionOptions, 'todos'>>;

export function tuningFor(settings: SettingValues): Tuning {
  return {
    toolOptions: { shellPath: settings.shellPath, bashTimeout: settings['bash.timeout'] },
    todos: { reminders: settings['todo.reminders'], maxReminders: settings['todo.maxReminders'] },
    compaction: {
      enabled: settings['compaction.enabled'],
      reserveTokens: settings['compaction.reserveTokens'],
      keepRecentTokens: settings['compaction.keepRecentTokens'],
    },
    retry: {
      enabled: settings['retry.enabled'],
      maxRetries: settings['retry.maxRetries'],
      baseDelayMs: settings['retry.baseDelayMs'],
      maxDelayMs: settings['retry.maxDelayMs'],
    },
  };
}
