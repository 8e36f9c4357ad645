// Commands for automatic retries.
import { boolean, object } from 'valibot';
import { command } from '../contracts/index.ts';

export const setAutoRetry = command({
  name: 'set_auto_retry',
  doc: 'Enable or disable automatic retries after overload, rate limits and server errors.',
  lane: 'ordered',
  params: object({ enabled: boolean() }),
  examples: [{ enabled: false }],
  async run({ enabled }, { session }) {
    session.retry.enabled = enabled;
  },
});

export const abortRetry = command({
  name: 'abort_retry',
  doc: 'Cancel the pending retry. Succeeds also when no retry is pending.',
  lane: 'now',
  params: object({}),
  run: (_, { session }) => session.retry.abort(),
});
