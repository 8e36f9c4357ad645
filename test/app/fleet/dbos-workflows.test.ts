// Tests of the records of runs.
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { createClock } from '../../../src/app/system-ports/clock.ts';
import { startDbos } from '../../../src/app/system-ports/dbos-workflows.ts';
import { createIds } from '../../../src/app/system-ports/ids.ts';
import { createDeferred } from '../../../src/base/index.ts';
import { openPostgres } from '../../store/postgres/postgres-fixture.ts';
import { waitUntil } from '../../support/wait-until.ts';

test('a run is recorded while it is executed, recovered when its process has ended, and removed later', async () => {
  const { database, url } = await openPostgres();
  const sql = postgres(url, { max: 1 });
  const continued: unknown[] = [];
  const workflows = await startDbos({
    ...{ url, database, executorId: 'one', clock: createClock(), ids: createIds(), log: () => {} },
    queuePollMs: 200,
    continueRun: async (run) => void continued.push(run),
  });
  onTestFinished(async () => {
    await workflows.close();
    await sql.end();
  });
  const readStatus = async () => (await sql`select status from dbos.workflow_status`).map(({ status }) => status);
  const ended = createDeferred();
  const run = { tenant: 'team', sessionId: 'abc' };
  await workflows.start(run, () => ended.promise);
  expect(await readStatus()).toEqual(['PENDING']);
  expect(await workflows.recover(() => false)).toBe(0);
  ended.resolve();
  await waitUntil(async () => (await readStatus())[0] === 'SUCCESS');
  // As if another process had executed it and ended.
  await sql`update dbos.workflow_status set status = 'PENDING', executor_id = 'two'`;
  expect(await workflows.recover((id) => id === 'two')).toBe(0);
  expect(continued).toEqual([]);
  expect(await workflows.recover(() => false)).toBe(1);
  await waitUntil(() => continued.length === 1);
  expect(continued).toEqual([run]);
  await waitUntil(async () => (await readStatus())[0] === 'SUCCESS');
  expect(await workflows.removeEnded(0)).toBe(0);
  expect(await workflows.removeEnded(Date.now() + 60_000)).toBe(1);
  expect(await readStatus()).toEqual([]);
});
