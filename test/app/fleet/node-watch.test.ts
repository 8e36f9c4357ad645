// Tests of the search for processes that have ended.
import { expect, test } from 'vitest';
import { NodeWatch } from '../../../src/app/fleet/node-watch.ts';
import { createFakeClock } from '../../../src/testing/index.ts';

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
