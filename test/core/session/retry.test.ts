// The idle time of a run: retries share it, waits between them do not count, and another request starts anew.
import { expect, test } from 'vitest';
import { RetryFacet } from '../../../src/core/session/retry.ts';
import type { Seat } from '../../../src/core/session/seat.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { assistant } from '../entries.ts';

function retrying() {
  const clock = createFakeClock();
  const seat = {
    ports: { clock },
    options: { retry: { enabled: true, maxRetries: 3, baseDelayMs: 2000, maxDelayMs: 60_000 } },
    broadcast: { emit: async () => {} },
  } as unknown as Seat;
  return { clock, retry: new RetryFacet(seat) };
}

const failed = assistant([], { stopReason: 'error', errorMessage: 'Connection error' });

test('a retry goes on with the idle time of the attempt before it, without the wait between them', async () => {
  const { clock, retry } = retrying();
  const first = retry.idleTime();
  const begun = first.since;
  await clock.advance(500);
  void retry.answered(failed, { kind: 'network' });
  expect(retry.isDue(failed)).toBe(true);
  const waited = retry.wait(failed, new AbortController().signal);
  await Promise.resolve();
  await clock.advance(2000);
  expect(await waited).toBe(true);
  const second = retry.idleTime();
  expect(second).toBe(first);
  expect(second.since).toBe(begun + 2000);
});

test('the request after a good answer starts anew', async () => {
  const { clock, retry } = retrying();
  const first = retry.idleTime();
  await clock.advance(500);
  void retry.answered(assistant('good'), undefined);
  const second = retry.idleTime();
  expect(second).not.toBe(first);
  expect(second.since).toBe(clock.now());
});
