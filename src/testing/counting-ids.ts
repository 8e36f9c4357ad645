// The hall, testing: ids that are the same in every run.
import type { Ids } from '../contracts/index.ts';

export function createCountingIds(): Ids {
  let uuids = 0;
  let entries = 0;
  return {
    uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`,
    entry: () => (++entries).toString(16).padStart(8, '0'),
  };
}
