// The figures of this process.
import { expect, onTestFinished, test } from 'vitest';
import { createProcessStatistics } from '../../../src/app/system-ports/process-statistics.ts';
import { waitUntil } from '../../support/wait-until.ts';

function open() {
  const statistics = createProcessStatistics();
  onTestFinished(() => statistics.close());
  return statistics;
}

test('memory, CPU time and start time are those of the process', () => {
  const reading = open().read();
  const { rss, heapUsed } = process.memoryUsage();
  expect(reading.residentBytes / rss).toBeCloseTo(1, 0);
  expect(reading.heapUsedBytes / heapUsed).toBeCloseTo(1, 0);
  expect(reading.cpuUserSeconds).toBeGreaterThan(0);
  expect(reading.startTimeSeconds).toBeCloseTo(Date.now() / 1000 - process.uptime(), 0);
  expect(reading.activeResources).toBeGreaterThan(0);
});

test('a blocked event loop is seen in the next reading, and not in the one after it', async () => {
  const statistics = open();
  const delays: number[] = [];
  // Each step is in its own turn of the event loop: the measurement begins in the turn after a reading.
  let step = 0;
  await waitUntil(() => {
    step += 1;
    if (step % 3 === 1) statistics.read();
    else if (step % 3 === 2) blockEventLoop(80);
    else delays.push(statistics.read().eventLoopDelay?.max ?? 0);
    return (delays.at(-1) ?? 0) >= 0.05;
  });
  expect(delays.at(-1)).toBeLessThan(10);
  expect(statistics.read().eventLoopDelay?.max).toBe(0);
});

function blockEventLoop(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
