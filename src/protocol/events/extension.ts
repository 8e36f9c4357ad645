// Events for extension errors and notices to the user.
import { number, object, optional, picklist, string } from 'valibot';
import { event } from '../event.ts';

export const extensionError = event(
  'extension_error',
  'An extension failed. The agent continues without its result.',
  object({ extensionPath: string(), event: string(), error: string() }),
);

export const notice = event(
  'notice',
  'A message for the user, for example that the disk is full.',
  object({
    level: picklist(['info', 'warning', 'error']),
    message: string(),
    source: optional(string()),
    offset: optional(number()),
  }),
  { stability: 'experimental' },
);
