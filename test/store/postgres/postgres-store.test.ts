// Tests of storing sessions in PostgreSQL.
import { expect, test } from 'vitest';
import { entry, header, storeContract } from '../contract.ts';
import { openPostgres, openStore, readLog } from './postgres-fixture.ts';

storeContract('the PostgreSQL store', async () => {
  const store = openStore((await openPostgres()).openStorage());
  return { store, read: (log) => readLog(store, log), keeps: true };
});

test('a session that another process writes to cannot be opened, and the process is named', async () => {
  const { openStorage } = await openPostgres();
  const log = openStore(openStorage()).create(header);
  await log.append([entry(0)]);
  const other = openStore(openStorage({ self: { pid: 77, host: 'elsewhere' } }));
  await expect(other.resume(log.file!)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining('process 4321 on here'),
    details: { reason: 'in_use', pid: 4321, host: 'here' },
  });
  await log.close();
  const resumed = await other.resume(log.file!);
  expect(resumed.path).toEqual([entry(0)]);
});
