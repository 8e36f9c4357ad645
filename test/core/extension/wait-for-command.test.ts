// Waiting for a command after the host has disconnected: the time of a run does not count.
import { expect, test } from 'vitest';
import { createDeferred } from '../../../src/base/index.ts';
import { waitForCommand } from '../../../src/core/extension/wait-for-command.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

const TIMEOUT_MS = 100;

function createFixture() {
  const clock = createFakeClock();
  const runs = {
    isRunning: false,
    settled: createDeferred(),
    waitUntilSettled: async () => (runs.isRunning ? runs.settled.promise : undefined),
  };
  const work = createDeferred();
  const outcomes: string[] = [];
  const scope = { getHost: () => ({ closed: Promise.resolve() }), session: { runs }, ports: { clock } };
  const waiting = waitForCommand(work.promise, scope as unknown as Parameters<typeof waitForCommand>[1], {
    hookTimeoutMs: TIMEOUT_MS,
  }).then(
    () => void outcomes.push('done'),
    (thrown: Error) => void outcomes.push(thrown.message),
  );
  const advance = async (ms: number) => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    await clock.advance(ms);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { runs, work, outcomes, waiting, advance };
}

test('without a run the command is abandoned after the timeout', async () => {
  const { outcomes, advance } = createFixture();
  await advance(TIMEOUT_MS - 1);
  expect(outcomes).toEqual([]);
  await advance(1);
  expect(outcomes).toEqual([expect.stringContaining('did not finish within 0.1 s')]);
});

test('a run that starts after the disconnect is not limited; the timeout starts after it', async () => {
  const { runs, work, outcomes, waiting, advance } = createFixture();
  await advance(TIMEOUT_MS / 2);
  runs.isRunning = true;
  await advance(TIMEOUT_MS * 50);
  expect(outcomes).toEqual([]);
  runs.isRunning = false;
  runs.settled.resolve();
  await advance(TIMEOUT_MS - 1);
  expect(outcomes).toEqual([]);
  work.resolve();
  await waiting;
  expect(outcomes).toEqual(['done']);
});
