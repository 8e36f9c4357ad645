// First floor, commands: asking again when a provider fails for a moment.
import { boolean, object } from 'valibot';
import { command } from '../contracts/index.ts';

export const setAutoRetry = command({
  name: 'set_auto_retry',
  doc: 'Whether this session asks again by itself after overload, rate limits and server errors.',
  lane: 'ordered',
  params: object({ enabled: boolean() }),
  examples: [{ enabled: false }],
  async run({ enabled }, { session }) {
    session.retry.enabled = enabled;
  },
});

export const abortRetry = command({
  name: 'abort_retry',
  doc: 'Cancel the wait before the next attempt, and stop trying. Succeeds also when nothing waits.',
  lane: 'now',
  params: object({}),
  run: (_, { session }) => session.retry.abort(),
});
