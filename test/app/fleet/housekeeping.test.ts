// Tests of the regular work for the database of a fleet.
import { expect, test } from 'vitest';
import { runTasks } from '../../../src/app/fleet/housekeeping.ts';
import { openPostgres } from '../../store/postgres/postgres-fixture.ts';

test('one node does the work, and an error of one task does not prevent the others', async () => {
  const { database } = await openPostgres();
  const done: string[] = [];
  const logged: [string, unknown][] = [];
  const run = (holderId: string) =>
    runTasks({
      ...{ database, holderId, log: (event, fields) => void logged.push([event, fields]) },
      clock: { now: () => 0 } as never,
      listTasks: async () => ({
        broken: () => Promise.reject(new Error('no space')),
        runs: async () => done.push(holderId),
      }),
    });
  await run('one');
  await run('two');
  expect(done).toEqual(['one']);
  expect(logged).toEqual([
    ['old records were not removed', { name: 'broken', error: 'no space' }],
    ['old records were removed', { name: 'runs', count: 1 }],
  ]);
});
