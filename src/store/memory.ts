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
        async close() {
          closed = true;
        },
      };
    },
  };
}
