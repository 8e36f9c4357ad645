// The plan of a chaos test follows from its seed and the number of runs.
import { expect, test } from 'vitest';
import { countSteps, createChaosPlan, createRandomNumbers, DATABASE, NODES, SESSIONS } from './chaos-plan.ts';
import { JobProgress } from './job-progress.ts';

const SEEDS = Array.from({ length: 50 }, (_, index) => index);

test('the same seed and the same number of runs give the same plan', () => {
  for (const seed of SEEDS) expect(createChaosPlan(seed, 60)).toEqual(createChaosPlan(seed, 60));
  expect(new Set(SEEDS.map((seed) => JSON.stringify(createChaosPlan(seed, 60)))).size).toBe(SEEDS.length);
});

test('more runs continue what each session sends', () => {
  const short = createChaosPlan(7, 12);
  const long = createChaosPlan(7, 300);
  for (const [index, jobs] of short.sessions.entries())
    expect(long.sessions[index]?.slice(0, jobs.length)).toEqual(jobs);
  expect(long.disturbances.slice(0, short.disturbances.length)).toEqual(short.disturbances);
});

test('what is drawn for one purpose has no influence on the others', () => {
  const draw = (numbers: (limit: number) => number) => Array.from({ length: 20 }, () => numbers(1000));
  const first = createRandomNumbers(1, 'a');
  const expected = draw(createRandomNumbers(1, 'b'));
  draw(first);
  expect(draw(createRandomNumbers(1, 'b'))).toEqual(expected);
  expect(draw(createRandomNumbers(1, 'a'))).not.toEqual(expected);
  expect(draw(createRandomNumbers(2, 'b'))).not.toEqual(expected);
});

test.each([12, 300])(
  '%i runs: all jobs have names of their own, and every disturbance begins before they have ended',
  (runs) => {
    for (const seed of SEEDS) {
      const { sessions, disturbances } = createChaosPlan(seed, runs);
      const jobs = sessions.flat();
      expect(sessions).toHaveLength(SESSIONS);
      expect(jobs).toHaveLength(runs);
      expect(new Set(jobs.map(({ name }) => name)).size).toBe(runs);
      expect(disturbances.length).toBeGreaterThan(0);
      const begins = disturbances.map(({ at }) => at);
      expect(begins).toEqual([...begins].sort((a, b) => a - b));
      expect(begins.at(-1)).toBeLessThan(countSteps(jobs));
      // One process is always left.
      for (const { targets } of disturbances) {
        expect(new Set(targets).size).toBe(targets.length);
        expect(targets.length).toBeLessThan(NODES);
      }
    }
  },
);

test('all kinds of disturbances happen to all nodes and to the database', () => {
  const { disturbances } = createChaosPlan(1, 300);
  const found = new Set(disturbances.flatMap(({ kind, targets }) => targets.map((target) => `${kind} ${target}`)));
  const targets = [DATABASE, ...Array.from({ length: NODES }, (_, index) => `node-${index}`)];
  expect([...found].sort()).toEqual(
    ['kill', 'suspend', 'cut'].flatMap((kind) => targets.map((target) => `${kind} ${target}`)).sort(),
  );
  expect(disturbances.some(({ killsDatabase }) => killsDatabase)).toBe(true);
  expect(disturbances.some(({ targets: { length } }) => length === 2)).toBe(true);
});

test('the progress of jobs ends at a known number, whatever is repeated or not planned', () => {
  const progress = new JobProgress([
    { name: 'a', steps: 1 },
    { name: 'b', steps: 0 },
  ]);
  expect(progress.total).toBe(3);
  for (const step of [0, 0, 1, 2]) progress.reach('a', step);
  progress.reach('other', 0);
  expect(progress.count).toBe(2);
  progress.reach('b', 0);
  expect(progress.count).toBe(progress.total);
});
