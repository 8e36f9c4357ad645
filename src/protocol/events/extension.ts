// Ground floor: what goes wrong outside the agent itself.
import { number, object, optional, picklist, string } from 'valibot';
import { event } from '../event.ts';

export const extensionError = event(
  'extension_error',
  'An extension failed. The agent goes on without its answer.',
  object({ extensionPath: string(), event: string(), error: string() }),
);

export const notice = event(
  'notice',
  'Something the person in front of the host should know, for example that the disk is full.',
  object({
    level: picklist(['info', 'warning', 'error']),
    message: string(),
    source: optional(string()),
    offset: optional(number()),
  }),
  { stability: 'experimental' },
);
