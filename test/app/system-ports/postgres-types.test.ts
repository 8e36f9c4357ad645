// Values of all types come back from a real server as they were sent.
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/app/system-ports/postgres-database.ts';
import { POSTGRES_TYPES } from '../../../src/app/system-ports/postgres-types.ts';
import { createTestDatabase } from '../../support/database.ts';

async function open() {
  const { url } = await createTestDatabase();
  const database = await openDatabase({ url, applicationName: 'parley tests' });
  onTestFinished(() => database.close());
  return database;
}

test('arrays of texts and numbers, bytes and large numbers are not changed', async () => {
  const database = await open();
  const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0') && value.isWellFormed());
  const rows = fc.record({
    texts: fc.array(fc.oneof(text, fc.constantFrom('', 'NULL', '{}', 'a,b', '"', '\\', ' x ', '\n'))),
    integers: fc.array(fc.integer()),
    numbers: fc.array(fc.maxSafeInteger()),
    number: fc.maxSafeInteger(),
    bytes: fc.uint8Array(),
  });
  await fc.assert(
    fc.asyncProperty(rows, async ({ texts, integers, numbers, number, bytes }) => {
      const sent = { texts, integers, numbers, number, bytes: Buffer.from(bytes) };
      const [row] = await database.query(
        'select $1::text[] as texts, $2::int[] as integers, $3::bigint[] as numbers, $4::bigint as number, $5::bytea as bytes',
        [texts, integers, numbers, number, bytes],
      );
      expect(row).toEqual(sent);
    }),
    { numRuns: 100 },
  );
});

test('arrays whose items have no quotes are read', () => {
  expect(POSTGRES_TYPES.textArray.parse('{a,"b,c",NULL}')).toEqual(['a', 'b,c', 'NULL']);
  expect(POSTGRES_TYPES.int8Array.parse('{}')).toEqual([]);
});
