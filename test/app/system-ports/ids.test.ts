import { expect, test } from 'vitest';
import { createIds } from '../../../src/app/system-ports/ids.ts';

test('uuids are version 4 and unique', () => {
  const ids = createIds();
  const all = Array.from({ length: 2_000 }, () => ids.uuid());
  for (const id of all) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(all).size).toBe(all.length);
  expect(new Set(all.map((id) => id[19])).size).toBe(4);
});

test('entry ids are eight hexadecimal digits, also between uuids', () => {
  const ids = createIds();
  const all = Array.from({ length: 500 }, (_, i) => (i % 3 === 0 ? ids.uuid().slice(0, 8) : ids.entryId()));
  for (const id of all) expect(id).toMatch(/^[0-9a-f]{8}$/);
  expect(new Set(all).size).toBe(all.length);
});

test('two generators create different ids', () => {
  expect(createIds().uuid()).not.toBe(createIds().uuid());
});
