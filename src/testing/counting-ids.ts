// Generates the same ids in every run.
import type { IdGenerator } from '../contracts/index.ts';

/** UUIDs and entry ids that count from 1. */
export function createCountingIds(): IdGenerator {
  let uuids = 0;
  let entries = 0;
  return {
    uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
    entryId: () => (++entries).toString(16).padStart(8, '0'),
  };
}
