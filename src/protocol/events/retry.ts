// Ground floor: the events of asking again.
import { boolean, number, object, optional, string } from 'valibot';
import { event } from '../event.ts';

export const autoRetryStart = event(
  'auto_retry_start',
  'The provider failed in a way that passes. Another run starts by itself after `delayMs`.',
  object({ attempt: number(), maxAttempts: number(), delayMs: number(), errorMessage: string() }),
);

export const autoRetryEnd = event(
  'auto_retry_end',
  'Asking again is over: an answer came, the attempts are used up, or somebody cancelled.',
  object({ success: boolean(), attempt: number(), finalError: optional(string()) }),
);
