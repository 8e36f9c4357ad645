// Events for changed session settings.
import { object, string } from 'valibot';
import { event } from '../event.ts';
import { thinkingLevel } from '../model.ts';

export const sessionInfoChanged = event(
  'session_info_changed',
  'The display name of the session has changed.',
  object({ name: string() }),
);

export const thinkingLevelChanged = event(
  'thinking_level_changed',
  'The thinking level has changed, from the next request on: it was set, or the new model does not support the previous level.',
  object({ level: thinkingLevel }),
);
