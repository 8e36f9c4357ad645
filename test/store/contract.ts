// Contract suite for all session stores.
import { describe, expect, test } from 'vitest';
import type { SessionLog, SessionStore } from '../../src/contracts/session-store.ts';
import type { SessionEntry, SessionHeader } from '../../src/protocol/session-entry.ts';

export const header: SessionHeader = {
  type: 'session',
  version: 3,
  id: '0d9f6a60-1111-4222-8333-444455556666',
  timestamp: '2026-01-02T03:04:05.678Z',
  cwd: '/project/place',
};

/** The nth entry of a conversation. Its parent is the entry before it. */
export function entry(n: number, text = `message ${n}`): SessionEntry {
  return {
    type: 'message',
    id: id(n),
    parentId: n === 0 ? null : id(n - 1),
    timestamp: header.timestamp,
    message: { role: 'user', content: text, timestamp: n },
  };
}

const id = (n: number) => n.toString(16).padStart(8, '0');

type StoredContent = { header: unknown; entries: unknown[] } | undefined;

export interface StoreUnderTest {
  readonly store: SessionStore;
  /** The content of the log; `undefined` before anything was stored. */
  read(log: SessionLog): StoredContent | Promise<StoredContent>;
  /** Whether closed logs can be found again. */
  readonly keeps?: boolean;
}

export function storeContract(name: string, openStore: () => StoreUnderTest | Promise<StoreUnderTest>): void {
  describe(`${name} fulfils the store contract`, () => {
    test('entries are stored unchanged, in the order of the calls', async () => {
      const { store, read } = await openStore();
      const log = store.create(header);
      const calls = Array.from({ length: 30 }, (_, i) => log.append([entry(2 * i), entry(2 * i + 1)]));
      await Promise.all(calls);
      expect(await read(log)).toEqual({ header, entries: Array.from({ length: 60 }, (_, i) => entry(i)) });
      await log.close();
    });

    test('entries are stored when append resolves', async () => {
      const { store, read } = await openStore();
      const log = store.create(header);
      for (let n = 0; n < 5; n += 1) {
        await log.append([entry(n)]);
        expect((await read(log))?.entries).toHaveLength(n + 1);
      }
      await log.close();
    });

    test('every text is stored unchanged', async () => {
      const { store, read } = await openStore();
      const log = store.create(header);
      const texts = [
        '',
        'line\r\nbreaks\n',
        'sep\u2028ara\u2029tors',
        '\ud83d\ude00 ünï',
        'a lone \ud800 half',
        '"\\\0',
        'x'.repeat(3e5),
      ];
      await log.append(texts.map((text, n) => entry(n, text)));
      expect((await read(log))?.entries).toEqual(texts.map((text, n) => entry(n, text)));
      await log.close();
    });

    test('unknown fields and entry types are kept', async () => {
      const { store, read } = await openStore();
      const log = store.create({ ...header, parentSession: '/old.jsonl', extra: { kept: true } });
      const unknownEntry = { ...entry(0), type: 'ttsr_injection', injectedRules: ['a'] } as unknown as SessionEntry;
      await log.append([unknownEntry]);
      expect(await read(log)).toEqual({
        header: { ...header, parentSession: '/old.jsonl', extra: { kept: true } },
        entries: [unknownEntry],
      });
      await log.close();
    });

    test('an empty append changes nothing', async () => {
      const { store, read } = await openStore();
      const log = store.create(header);
      await log.append([]);
      expect((await read(log))?.entries ?? []).toEqual([]);
      await log.close();
    });

    test('close waits for pending appends, may be called twice, and later appends fail', async () => {
      const { store, read } = await openStore();
      const log = store.create(header);
      const appended = log.append([entry(0)]);
      await Promise.all([log.close(), log.close()]);
      await appended;
      expect((await read(log))?.entries).toEqual([entry(0)]);
      await expect(log.append([entry(1)])).rejects.toMatchObject({ name: 'Fault', code: 'storage' });
      expect((await read(log))?.entries).toEqual([entry(0)]);
    });

    test('two logs of one store do not mix', async () => {
      const { store, read } = await openStore();
      const [one, two] = [store.create(header), store.create({ ...header, id: 'another' })];
      await Promise.all([one.append([entry(0)]), two.append([entry(1)]), one.append([entry(2)])]);
      expect(await read(one)).toEqual({ header, entries: [entry(0), entry(2)] });
      expect(await read(two)).toEqual({ header: { ...header, id: 'another' }, entries: [entry(1)] });
      await Promise.all([one.close(), two.close()]);
    });

    test('the whole history can be read while it is written, and afterwards', async () => {
      const { store } = await openStore();
      const log = store.create(header);
      expect(await log.readAll()).toEqual([]);
      const first = log.append([entry(0), entry(1)]);
      expect(await log.readAll()).toEqual([entry(0), entry(1)]);
      await first;
      await log.append([entry(2)]);
      await log.close();
      expect(await log.readAll()).toEqual([entry(0), entry(1), entry(2)]);
    });

    test('a missing session is reported as not found', async () => {
      const { store } = await openStore();
      const notFound = { name: 'Fault', code: 'not_found', message: expect.stringContaining('/no/where.jsonl') };
      await expect(store.resume('/no/where.jsonl')).rejects.toMatchObject(notFound);
      await expect(store.locate('/no/where.jsonl')).rejects.toMatchObject(notFound);
      await expect(store.remove('/no/where.jsonl')).rejects.toMatchObject(notFound);
      await expect(store.locate('abc')).rejects.toMatchObject({ code: 'not_found' });
      expect(await store.find('abc')).toBeUndefined();
      expect(await store.findLatest()).toBeUndefined();
      expect(await store.list()).toEqual([]);
    });

    test('a closed session can be resumed, or is not listed', async () => {
      const { store, keeps, read } = await openStore();
      const log = store.create(header);
      await log.append([entry(0), entry(1)]);
      await log.close();
      if (!keeps) return expect(await store.list()).toEqual([]);
      const path = (await store.findLatest())!;
      expect(path).toBe(log.file);
      expect(await store.find(header.id)).toBe(path);
      expect(await store.find(header.id.slice(0, -1))).toBeUndefined();
      expect(await store.find(path)).toBeUndefined();
      const resumed = await store.resume(path);
      expect(resumed).toMatchObject({ header, path: [entry(0), entry(1)], leafId: entry(1).id, damage: [] });
      expect(resumed.name).toBeUndefined();
      await resumed.log.append([entry(2)]);
      expect(await resumed.log.readAll()).toEqual([entry(0), entry(1), entry(2)]);
      await resumed.log.close();
      expect(await read(log)).toEqual({ header, entries: [entry(0), entry(1), entry(2)] });
    });
  });
}
