// For tests of the jsonl store: stores that act as different processes, and hand-written session files.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFiles } from '../../src/app/system-ports/files.ts';
import type { ProcessId, ProcessIdentity } from '../../src/contracts/index.ts';
import type { Clock, Files } from '../../src/contracts/ports.ts';
import type { SessionStore } from '../../src/contracts/session-store.ts';
import { createJsonlStore, type JsonlStoreOptions } from '../../src/store/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { header } from './contract.ts';

export const clock = { now: () => Date.parse(header.timestamp) } as Clock;

/** Processes by pid and start time. A process that is not in `running` has ended. */
export function createFakeProcesses(running: readonly ProcessId[] = [currentProcess]) {
  const alive = new Set(running.map(({ pid, startTime }) => `${pid} ${startTime}`));
  const identity = (self: ProcessId): ProcessIdentity => ({
    self,
    isAlive: async (pid, startTime) => alive.has(`${pid} ${startTime}`),
  });
  return { identity, end: ({ pid, startTime }: ProcessId) => void alive.delete(`${pid} ${startTime}`) };
}

export const currentProcess: ProcessId = { pid: 4321, startTime: 99, host: 'here' };

export interface StoreFixture {
  readonly directory: string;
  readonly store: SessionStore;
  /** Creates a file with these bytes or lines. */
  write(content: string | Buffer | readonly unknown[], name?: string): string;
}

export function createStoreFixture(
  files: Files = createFiles(),
  directory = createTemporaryDirectory(),
  options: Partial<JsonlStoreOptions> = {},
): StoreFixture {
  return {
    directory,
    store: createJsonlStore({
      files,
      clock,
      identity: createFakeProcesses().identity(currentProcess),
      directory,
      ...options,
    }),
    write(content, name = 'session.jsonl') {
      const path = join(directory, name);
      mkdirSync(directory, { recursive: true });
      writeFileSync(
        path,
        typeof content === 'string' || Buffer.isBuffer(content) ? content : content.map(toLine).join(''),
      );
      return path;
    },
  };
}

export const toLine = (of: unknown) => `${JSON.stringify(of)}\n`;

export const compaction = (id: string, parentId: string, firstKeptEntryId: string) => ({
  type: 'compaction',
  id,
  parentId,
  timestamp: header.timestamp,
  summary: 'summary',
  firstKeptEntryId,
  tokensBefore: 1000,
});

/** Parses the lines of a file. Throws when one is not JSON. */
export function readLines(path: string): unknown[] {
  const text = readFileSync(path, 'utf8');
  return text
    .slice(0, text.endsWith('\n') ? -1 : undefined)
    .split('\n')
    .map((one) => JSON.parse(one));
}

/** Real files that count opened files and read bytes. */
export function createCountingFiles() {
  const real = createFiles();
  const counts = { opened: 0, bytes: 0 };
  const files: Files = {
    ...real,
    async open(...request) {
      counts.opened += 1;
      const file = await real.open(...request);
      const read = async (position: number, length: number) => {
        const found = await file.read(position, length);
        counts.bytes += found.length;
        return found;
      };
      return { ...file, read };
    },
  };
  return { files, counts };
}
