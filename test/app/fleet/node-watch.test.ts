// Tests of when a node looks for the runs of processes that have ended.
import { expect, test } from 'vitest';
import { NodeWatch } from '../../../src/app/fleet/node-watch.ts';
import type { Database } from '../../../src/contracts/index.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

function createWatch() {
  const looks: string[][] = [];
  const state = { alive: ['a', 'b', 'c'], statements: 0, isBroken: false };
  const query = async () => {
    state.statements += 1;
    return state.alive.map((id) => ({ id }));
  };
  const watch = new NodeWatch({
    ...{ database: { query } as unknown as Database, clock: createFakeClock(), log: () => {}, intervalMs: 1000 },
    workflows: {
      async recover(isAlive) {
        if (state.isBroken) throw new Error('no connection');
        looks.push(['a', 'b', 'c', 'd'].filter(isAlive));
        return 0;
      },
    },
  });
  const count = async (intervals: number) => {
    looks.length = 0;
    for (let n = 0; n < intervals; n++) await watch.check();
    return looks.length;
  };
  return { state, looks, count };
}

test('an interval costs one statement while no process ends', async () => {
  const { state, count } = createWatch();
  expect(await count(10)).toBe(10);
  expect(await count(100)).toBe(10);
  expect(state.statements).toBe(110);
  state.alive = ['a', 'b', 'c', 'd'];
  expect(await count(100)).toBe(10);
});

test('when a process has ended, its runs are looked for in each of the next intervals', async () => {
  const { state, looks, count } = createWatch();
  await count(12);
  state.alive = ['a', 'c'];
  expect(await count(1)).toBe(1);
  expect(looks).toEqual([['a', 'c']]);
  expect(await count(9)).toBe(9);
  expect(await count(9)).toBe(0);
  expect(await count(1)).toBe(1);
  // Again and again: a process can end while the runs of another one are looked for.
  state.alive = ['a'];
  await count(5);
  state.alive = [];
  expect(await count(10)).toBe(10);
});

test('a look that fails is repeated', async () => {
  const { state, count } = createWatch();
  await count(10);
  state.alive = ['a', 'b'];
  state.isBroken = true;
  expect(await count(20)).toBe(0);
  state.isBroken = false;
  expect(await count(10)).toBe(10);
});

test('a step that never ends does not prevent the next check', async () => {
  const clock = createFakeClock();
  const logged: unknown[] = [];
  const recovered: boolean[] = [];
  const answers: Promise<number>[] = [new Promise(() => {}), Promise.resolve(2)];
  const watch = new NodeWatch({
    database: { query: async () => [{ id: 'one' }] } as never,
    clock,
    log: (event, fields) => void logged.push([event, fields]),
    workflows: {
      recover(isAlive) {
        recovered.push(isAlive('one'), isAlive('two'));
        return answers.shift() as Promise<number>;
      },
    },
    intervalMs: 1000,
    stepTimeoutMs: 3000,
  });
  const first = watch.check();
  await expect.poll(() => recovered.length).toBe(2);
  await clock.advance(3000);
  await first;
  await watch.check();
  expect(recovered).toEqual([true, false, true, false]);
  expect(logged).toEqual([
    ['the other nodes cannot be checked', { error: 'recover: no answer after 3 s' }],
    ['runs of ended processes are continued', { count: 2 }],
  ]);
});
