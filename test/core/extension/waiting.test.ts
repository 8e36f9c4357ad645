// How long a command's work is waited for once its host is gone: the time of a run does not count, whenever it began.
import { expect, test } from 'vitest';
import { deferred } from '../../../src/base/index.ts';
import { abandonable } from '../../../src/core/extension/waiting.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

const LIMIT_MS = 100;

function stage() {
  const clock = createFakeClock();
  const runs = {
    isRunning: false,
    over: deferred(),
    settled: async () => (runs.isRunning ? runs.over.promise : undefined),
  };
  const work = deferred();
  const told: string[] = [];
  const surroundings = { host: () => ({ gone: Promise.resolve() }), session: { runs }, ports: { clock } };
  const waiting = abandonable(work.promise, surroundings as unknown as Parameters<typeof abandonable>[1], {
    hookTimeoutMs: LIMIT_MS,
  }).then(
    () => void told.push('done'),
    (thrown: Error) => void told.push(thrown.message),
  );
  const pass = async (ms: number) => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    await clock.advance(ms);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { runs, work, told, waiting, pass };
}

test('nothing runs: it is given up after the limit', async () => {
  const { told, pass } = stage();
  await pass(LIMIT_MS - 1);
  expect(told).toEqual([]);
  await pass(1);
  expect(told).toEqual([expect.stringContaining('did not end within 0.1 s')]);
});

test('a run that begins after the host has left has its time, and the command the limit after it', async () => {
  const { runs, work, told, waiting, pass } = stage();
  await pass(LIMIT_MS / 2);
  runs.isRunning = true;
  await pass(LIMIT_MS * 50);
  expect(told).toEqual([]);
  runs.isRunning = false;
  runs.over.resolve();
  await pass(LIMIT_MS - 1);
  expect(told).toEqual([]);
  work.resolve();
  await waiting;
  expect(told).toEqual(['done']);
});
