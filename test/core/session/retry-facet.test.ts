// The idle time of a request: retries share it, retry delays do not count, and the next request starts a new one.
import { expect, test } from 'vitest';
import { planRetry } from '../../../src/core/session/retry-decision.ts';
import { RetryFacet } from '../../../src/core/session/retry-facet.ts';
import type { SessionState } from '../../../src/core/session/session-state.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { assistant } from '../entries.ts';

function createRetryFacet() {
  const clock = createFakeClock();
  const state = {
    ports: { clock },
    options: { retry: { enabled: true, maxRetries: 3, baseDelayMs: 2000, maxDelayMs: 60_000 } },
    broadcast: { emit: async () => {} },
  } as unknown as SessionState;
  return { clock, retry: new RetryFacet(state) };
}

const failed = assistant([], { stopReason: 'error', errorMessage: 'Connection error' });

test('a retry continues the idle time of the previous attempt, without the delay between them', async () => {
  const { clock, retry } = createRetryFacet();
  const first = retry.getIdleTime();
  const startMs = first.sinceMs;
  await clock.advance(500);
  void retry.onAnswer(failed, { kind: 'network' });
  const delayMs = planRetry(retry, failed, retry.providerFailure);
  expect(delayMs).toBe(2000);
  const waiting = retry.waitForRetry(failed, new AbortController().signal, delayMs as number);
  await Promise.resolve();
  await clock.advance(2000);
  expect(await waiting).toBe(true);
  const second = retry.getIdleTime();
  expect(second).toBe(first);
  expect(second.sinceMs).toBe(startMs + 2000);
});

test('the request after a successful answer starts a new idle time', async () => {
  const { clock, retry } = createRetryFacet();
  const first = retry.getIdleTime();
  await clock.advance(500);
  void retry.onAnswer(assistant('ok'), undefined);
  const second = retry.getIdleTime();
  expect(second).not.toBe(first);
  expect(second.sinceMs).toBe(clock.now());
});
