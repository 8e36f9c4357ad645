// Test helper: a store in memory whose logs other processes can take over. A process that has lost a log can write no more.
import { Fault } from '../../../src/base/index.ts';
import type { ResumedSession, SessionLog, SessionStore } from '../../../src/contracts/index.ts';
import { findFirstKeptIndex } from '../../../src/core/tree/context-path.ts';
import type { SessionEntry, SessionHeader } from '../../../src/protocol/index.ts';
import { createMemoryStore } from '../../../src/store/memory-store.ts';

export interface SharedStore extends SessionStore {
  /** Each block was stored completely, with one append. */
  readonly blocks: readonly (readonly SessionEntry[])[];
  readonly entries: readonly SessionEntry[];
  /** The process that has the log is no longer its writer. */
  takeOver(): void;
  /** Called before each append. It may throw. */
  onAppend: (entries: readonly SessionEntry[]) => void | Promise<void>;
  /** A store with the first blocks of this one. */
  cut(count: number): SharedStore;
}

/** For one session. */
export function createSharedStore(
  header?: SessionHeader,
  initialBlocks: readonly (readonly SessionEntry[])[] = [],
): SharedStore {
  const blocks = [...initialBlocks];
  let token = 0;
  let stored = header;
  const open = (): SessionLog => {
    const own = ++token;
    return {
      file: 'shared',
      canBeTakenOver: true,
      async append(entries) {
        const copies = structuredClone([...entries]);
        await store.onAppend(copies);
        if (own !== token) throw createLostFault();
        if (copies.length > 0) blocks.push(copies);
      },
      readAll: async () => structuredClone(blocks.flat()),
      async close() {},
    };
  };
  const store: SharedStore = {
    ...createMemoryStore(),
    onAppend() {},
    blocks,
    get entries() {
      return blocks.flat();
    },
    takeOver: () => void token++,
    cut: (count) => createSharedStore(stored, blocks.slice(0, count)),
    create(created) {
      stored = created;
      return open() as ReturnType<SharedStore['create']>;
    },
    async resume(): Promise<ResumedSession> {
      const all = structuredClone(blocks.flat());
      const path = all.slice(findFirstKeptIndex(all));
      const leafId = all.at(-1)?.id ?? null;
      return { header: stored as SessionHeader, log: open(), path, leafId, name: undefined, damage: [] };
    },
  };
  return store;
}

export function createLostFault(): Fault {
  return new Fault('storage', 'The session was taken over by another process.', { details: { reason: 'lease_lost' } });
}
