// Runs the store contract with the memory store.
import { expect, test } from 'vitest';
import { createMemoryStore, type MemoryLog } from '../../src/store/index.ts';
import { header, storeContract } from './contract.ts';

storeContract('the memory store', () => ({
  store: createMemoryStore(),
  read: (log) => ({ header: (log as MemoryLog).header, entries: [...(log as MemoryLog).entries] }),
}));

test('a log in memory has no file', () => {
  expect(createMemoryStore().create(header).file).toBeUndefined();
});
