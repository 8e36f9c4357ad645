// Tests of reading a log in the database like a file.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createIds } from '../../../src/app/system-ports/ids.ts';
import type { Database, SqlConnection } from '../../../src/contracts/database.ts';
import { createContentCipher } from '../../../src/store/postgres/content-cipher.ts';
import { openLogReader } from '../../../src/store/postgres/log-reader.ts';
import { SessionWriter } from '../../../src/store/postgres/session-writer.ts';
import { entry, header } from '../contract.ts';
import { compaction, toLine } from '../store-fixture.ts';
import { openPostgres, openStore } from './postgres-fixture.ts';

test('any range of any lines is read as from a file with the same bytes', async () => {
  const postgres = await openPostgres();
  const cipher = createContentCipher(`k1:${Buffer.alloc(32, 1).toString('base64')}`, createIds());
  const storage = postgres.openStorage({ cipher });
  let next = 1;
  const length = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 }), fc.integer({ min: 100_000, max: 400_000 }));
  const lines = fc.array(
    fc.tuple(
      length,
      fc.integer({ min: 1, max: 255 }).filter((byte) => byte !== 10),
    ),
    {
      ...{ minLength: 1, maxLength: 12 },
    },
  );
  const reads = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(300_000)), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(lines, fc.boolean(), reads, async (shapes, endsWithLine, ranges) => {
      const session = { tenant: 'default', id: `range-${next++}` };
      const parts = shapes.map(([size, byte]) => Buffer.concat([Buffer.alloc(size, byte), Buffer.from('\n')]));
      const body = Buffer.concat(parts);
      const block = endsWithLine || body.length === 1 ? body : body.subarray(0, -1);
      const headerLine = Buffer.from(toLine({ ...header, id: session.id }));
      const writer = new SessionWriter({ ...storage, session }, { header: headerLine, cwd: header.cwd, createdMs: 0 });
      await writer.append(block);
      const bytes = Buffer.concat([headerLine, block]);
      const file = await openLogReader(storage, session);
      expect(await file.size()).toBe(bytes.length);
      for (const [share, count] of [...ranges, [0, bytes.length + 10] as const]) {
        const start = Math.round(share * bytes.length);
        const found = await file.read(start, count);
        expect(bytes.subarray(start, start + count).equals(found)).toBe(true);
      }
      await writer.close();
    }),
    { numRuns: 40 },
  );
});

/** Counts what statements return. */
function countRows(database: Database) {
  const counts = { statements: 0, rows: 0, bytes: 0 };
  const count = ({ query }: SqlConnection): SqlConnection => ({
    async query<Row extends object>(...request: Parameters<SqlConnection['query']>) {
      const rows = await query<Row>(...request);
      counts.statements += 1;
      counts.rows += rows.length;
      for (const value of rows.flatMap((row) => Object.values(row)))
        if (value instanceof Uint8Array) counts.bytes += value.length;
      return rows;
    },
  });
  const counting: Database = {
    ...database,
    ...count(database),
    tenantTransaction: (tenant, act) => database.tenantTransaction(tenant, (connection) => act(count(connection))),
  };
  return { counting, counts };
}

test('resuming a long session reads only what its context needs', async () => {
  const postgres = await openPostgres();
  const log = openStore(postgres.openStorage()).create(header);
  const count = 20_000;
  const text = 'some words '.repeat(20);
  for (let n = 0; n < count; n += 1000) await log.append(Array.from({ length: 1000 }, (_, i) => entry(n + i, text)));
  const kept = entry(count - 10);
  await log.append([compaction('ffffffff', entry(count - 1).id, kept.id) as never]);
  await log.close();
  const { counting, counts } = countRows(postgres.database);
  const resumed = await openStore(postgres.openStorage({ database: counting })).resume(log.file!);
  expect(resumed.path).toHaveLength(11);
  expect(counts.statements).toBeLessThan(12);
  expect(counts.bytes).toBeLessThan(700_000);
  await resumed.log.close();
});

test('the name of a long session is known without searching its lines', async () => {
  const postgres = await openPostgres();
  const log = openStore(postgres.openStorage()).create(header);
  const name = { ...entry(0), type: 'session_info', name: 'an early name' } as never;
  await log.append([name, entry(1), entry(2, 'x'.repeat(400_000)), entry(3)]);
  await log.append([compaction('ffffffff', entry(3).id, entry(3).id) as never]);
  await log.close();
  const resumed = await openStore(postgres.openStorage()).resume(log.file!);
  expect(resumed.name).toBe('an early name');
  await resumed.log.close();
});
