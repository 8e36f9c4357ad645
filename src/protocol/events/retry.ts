// Events of automatic retries after a provider error.
import { boolean, number, object, optional, string } from 'valibot';
import { event } from '../event.ts';

export const autoRetryStart = event(
  'auto_retry_start',
  'The provider failed with a temporary error. Another run starts automatically after `delayMs` milliseconds.',
  object({ attempt: number(), maxAttempts: number(), delayMs: number(), errorMessage: string() }),
);

export const autoRetryEnd = event(
  'auto_retry_end',
  'Retrying has ended: a request succeeded, all attempts failed, or the retry was cancelled.',
  object({ success: boolean(), attempt: number(), finalError: optional(string()) }),
);
