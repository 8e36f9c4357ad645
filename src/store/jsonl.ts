// The store that remembers: one JSON line per entry, only ever added. Knows what a file is; knows nothing of conversations.
import { Fault } from '../base/fault.ts';
import type { Clock, Files } from '../contracts/ports.ts';
import type { SessionStore } from '../contracts/store.ts';
import { createJsonlLog } from './jsonl-log.ts';
import { sessionFileName } from './places.ts';

export interface JsonlStoreOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Where the files lie; see sessionFolder. Made when the first one is written. */
  readonly directory: string;
}

export function createJsonlStore({ files, clock, directory }: JsonlStoreOptions): SessionStore {
  return {
    create(header) {
      const file = `${directory}/${sessionFileName(clock.now(), header.id)}`;
      return createJsonlLog({ files, directory, file, header });
    },
    resume: unavailable,
    locate: unavailable,
    latest: async () => undefined,
    list: async () => [],
    remove: unavailable,
  };
}

async function unavailable(path: string): Promise<never> {
  throw new Fault('not_found', `Session not found: ${path}`);
}
