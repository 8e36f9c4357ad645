// A session store without files, for sessions that are not saved.
import { Fault } from '../base/fault.ts';
import type { SessionLog, SessionStore } from '../contracts/session-store.ts';
import type { SessionEntry, SessionHeader } from '../protocol/session-entry.ts';

export interface MemoryLog extends SessionLog {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
}

export interface MemoryStore extends SessionStore {
  create(header: SessionHeader): MemoryLog;
}

/** The store does not reference its logs, so logs of ended sessions can be garbage-collected. */
export function createMemoryStore(): MemoryStore {
  return {
    create(header) {
      const stored: SessionEntry[] = [];
      let closed = false;
      return {
        file: undefined,
        header,
        entries: stored,
        async append(entries) {
          if (closed) throw new Fault('storage', `Session ${header.id} is closed`);
          stored.push(...entries);
        },
        async readAll() {
          return [...stored];
        },
        async close() {
          closed = true;
        },
      };
    },
    resume: async (path) => throwSessionNotFound(path),
    read: async (path) => throwSessionNotFound(path),
    locate: async (reference) => throwSessionNotFound(reference),
    find: async () => undefined,
    findLatest: async () => undefined,
    list: async () => [],
    remove: async (path) => throwSessionNotFound(path),
  };
}

function throwSessionNotFound(reference: string): never {
  throw new Fault('not_found', `Session not found: ${reference} (sessions are not saved in this run)`);
}
