// The store that forgets: logs for sessions that are not to be kept. The same promises as a file's, without the file.
import { Fault } from '../base/fault.ts';
import type { SessionLog, SessionStore } from '../contracts/store.ts';
import type { SessionEntry, SessionHeader } from '../protocol/entry.ts';

export interface MemoryLog extends SessionLog {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
}

export interface MemoryStore extends SessionStore {
  create(header: SessionHeader): MemoryLog;
}

/** Keeps no hold on its logs, so that a process that begins a thousand conversations does not end up holding them all. */
export function createMemoryStore(): MemoryStore {
  return {
    create(header) {
      const kept: SessionEntry[] = [];
      let closed = false;
      return {
        file: undefined,
        header,
        entries: kept,
        async append(entries) {
          if (closed) throw new Fault('storage', `Session ${header.id} is closed`);
          kept.push(...entries);
        },
        async readAll() {
          return [...kept];
        },
        async close() {
          closed = true;
        },
      };
    },
    resume: async (path) => unknownSession(path),
    read: async (path) => unknownSession(path),
    locate: async (wanted) => unknownSession(wanted),
    latest: async () => undefined,
    list: async () => [],
    remove: async (path) => unknownSession(path),
  };
}

function unknownSession(wanted: string): never {
  throw new Fault('not_found', `Session not found: ${wanted} (this run keeps no sessions on disk)`);
}
