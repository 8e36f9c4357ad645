// Ground floor: the events of a session whose choices change.
import { object, string } from 'valibot';
import { event } from '../event.ts';
import { thinkingLevel } from '../model.ts';

export const sessionInfoChanged = event(
  'session_info_changed',
  'The session has another display name.',
  object({ name: string() }),
);

export const thinkingLevelChanged = event(
  'thinking_level_changed',
  'The model thinks harder or less hard from the next request on: somebody said so, or another model cannot do the same.',
  object({ level: thinkingLevel }),
);
