// Tests of session locks between processes.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFiles } from '../../src/app/system-ports/files.ts';
import type { ProcessId } from '../../src/contracts/index.ts';
import type { Clock, Files } from '../../src/contracts/ports.ts';
import type { ResumedSession } from '../../src/contracts/session-store.ts';
import { createJsonlStore } from '../../src/store/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { entry, header } from './contract.ts';
import { createMemoryFiles } from './memory-files.ts';
import { createFakeProcesses, readLines, toLine } from './store-fixture.ts';

const [one, two]: ProcessId[] = [
  { pid: 100, startTime: 1, host: 'here' },
  { pid: 200, startTime: 2, host: 'here' },
];
const now = Date.parse('2026-01-02T00:00:00Z');
const clock = { now: () => now } as Clock;

/** A directory with a session, and stores that act as different processes. */
function createLockFixture(running: readonly ProcessId[] = [one!, two!], files: Files = createFiles()) {
  const directory = createTemporaryDirectory();
  const path = join(directory, 'session.jsonl');
  writeFileSync(path, toLine(header) + toLine(entry(0)));
  const { identity, end } = createFakeProcesses(running);
  const createStoreAs = (self: ProcessId) => createJsonlStore({ files, clock, identity: identity(self), directory });
  const leaveLock = (content: string, ageMs = 0) => {
    writeFileSync(`${path}.lock`, content);
    utimesSync(`${path}.lock`, (now - ageMs) / 1000, (now - ageMs) / 1000);
  };
  return { directory, path, createStoreAs, end, leaveLock };
}

const createInUseError = ({ pid, host }: ProcessId, path: string) => ({
  name: 'Fault',
  code: 'refused',
  message: `Session is in use by process ${pid} on ${host}: ${path}. Close it there first; if that process is gone, remove ${path}.lock.`,
  details: { pid, host, lock: `${path}.lock` },
});

test('opening a locked session fails with the holder until it is closed', async () => {
  const { path, createStoreAs } = createLockFixture();
  const held = await createStoreAs(one!).resume(path);
  expect(JSON.parse(readFileSync(`${path}.lock`, 'utf8'))).toEqual(one);
  expect(statSync(`${path}.lock`).mode & 0o777).toBe(0o600);
  await expect(createStoreAs(two!).resume(path)).rejects.toMatchObject(createInUseError(one!, path));
  await expect(createStoreAs(two!).remove(path)).rejects.toMatchObject(createInUseError(one!, path));
  await expect(createStoreAs(one!).resume(path)).rejects.toMatchObject(createInUseError(one!, path));
  await held.log.close();
  expect(existsSync(`${path}.lock`)).toBe(false);
  const next = await createStoreAs(two!).resume(path);
  await next.log.append([entry(1)]);
  await next.log.close();
  expect(readLines(path)).toEqual([header, entry(0), entry(1)]);
});

test('a new session is locked from its first entry on', async () => {
  const { createStoreAs } = createLockFixture();
  const log = createStoreAs(one!).create(header);
  await log.append([entry(0)]);
  await expect(createStoreAs(two!).resume(log.file!)).rejects.toMatchObject(createInUseError(one!, log.file!));
  await log.close();
  await (await createStoreAs(two!).resume(log.file!)).log.close();
});

test.each<[string, (fixture: ReturnType<typeof createLockFixture>) => void]>([
  ['of a process that has ended', ({ leaveLock }) => leaveLock(JSON.stringify({ ...one, pid: 999 }))],
  ['of an earlier process with the same pid', ({ leaveLock }) => leaveLock(JSON.stringify({ ...one, startTime: 7 }))],
  ['that is empty and old', ({ leaveLock }) => leaveLock('', 60_000)],
  ['that is invalid and old', ({ leaveLock }) => leaveLock('{"pid":', 60_000)],
])('a lock %s is taken over', async (_, prepare) => {
  const fixture = createLockFixture();
  prepare(fixture);
  const resumed = await fixture.createStoreAs(two!).resume(fixture.path);
  expect(JSON.parse(readFileSync(`${fixture.path}.lock`, 'utf8'))).toEqual(two);
  expect(readdirSync(fixture.directory).sort()).toEqual(['session.jsonl', 'session.jsonl.lock']);
  await resumed.log.close();
  expect(readdirSync(fixture.directory)).toEqual(['session.jsonl']);
});

test.each<[string, string, string]>([
  ['that was just created and has no owner yet', '', 'is being opened by another process'],
  ['of another host', JSON.stringify({ pid: 999, startTime: 1, host: 'there' }), 'in use by process 999 on there'],
])('a lock %s is respected', async (_, content, message) => {
  const { createStoreAs, path, leaveLock } = createLockFixture();
  leaveLock(content);
  await expect(createStoreAs(two!).resume(path)).rejects.toThrow(message);
  expect(readFileSync(`${path}.lock`, 'utf8')).toBe(content);
});

test('a stale claim is taken over', async () => {
  const { createStoreAs, path, directory, leaveLock } = createLockFixture();
  leaveLock(JSON.stringify({ ...one, pid: 999 }));
  writeFileSync(`${path}.lock.claim`, JSON.stringify({ ...one, pid: 998 }));
  await (await createStoreAs(two!).resume(path)).log.close();
  expect(readdirSync(directory)).toEqual(['session.jsonl']);
});

test('a lock that another process created meanwhile is not removed', async () => {
  const { createStoreAs, path } = createLockFixture();
  const resumed = await createStoreAs(one!).resume(path);
  writeFileSync(`${path}.lock`, JSON.stringify(two));
  await resumed.log.close();
  expect(JSON.parse(readFileSync(`${path}.lock`, 'utf8'))).toEqual(two);
});

test('a lock path that is not a file is an error', async () => {
  const { createStoreAs, path } = createLockFixture();
  mkdirSync(`${path}.lock`);
  await expect(createStoreAs(one!).resume(path)).rejects.toMatchObject({ code: 'storage' });
});

/** Files that execute one of the waiting operations at a time, in an order that `choose` decides. */
function createInterleavedFiles(choose: () => number) {
  const files = createMemoryFiles(now);
  const waiting: (() => void)[] = [];
  const turn = () => new Promise<void>((resolve) => waiting.push(resolve));
  const slow: Files = {
    ...files,
    info: (...request) => turn().then(() => files.info(...request)),
    read: (...request) => turn().then(() => files.read(...request)),
    rename: (...request) => turn().then(() => files.rename(...request)),
    remove: (...request) => turn().then(() => files.remove(...request)),
    async open(...request) {
      await turn();
      const file = await files.open(...request);
      return { ...file, append: (bytes) => turn().then(() => file.append(bytes)) };
    },
  };
  /** Executes waiting operations until the promise settles. */
  async function run(until: Promise<unknown>): Promise<void> {
    let over = false;
    void until.finally(() => {
      over = true;
    });
    while (!over) {
      await new Promise((resolve) => setImmediate(resolve));
      waiting.splice(choose() % Math.max(1, waiting.length), 1)[0]?.();
    }
  }
  return { files, slow, run };
}

test('exactly one of several processes gets a stale lock, in any order of operations', async () => {
  const order = fc.infiniteStream(fc.nat(1000));
  await fc.assert(
    fc.asyncProperty(order, fc.integer({ min: 2, max: 4 }), async (choices, count) => {
      const { files, slow, run } = createInterleavedFiles(() => choices.next().value);
      const contenders = Array.from({ length: count }, (_, i) => ({ pid: 10 + i, startTime: 1, host: 'here' }));
      const { identity } = createFakeProcesses(contenders);
      const path = '/s/session.jsonl';
      files.contents.set(path, Buffer.from(toLine(header)));
      files.contents.set(`${path}.lock`, Buffer.from(JSON.stringify({ pid: 1, startTime: 1, host: 'here' })));
      const attempts = contenders.map((self) =>
        createJsonlStore({ files: slow, clock, identity: identity(self), directory: '/s' }).resume(path),
      );
      const settled = Promise.allSettled(attempts);
      await run(settled);
      const outcomes = await settled;
      const winners = outcomes.flatMap((outcome, i) => (outcome.status === 'fulfilled' ? [contenders[i]!] : []));
      expect(winners).toHaveLength(1);
      expect(JSON.parse(files.contents.get(`${path}.lock`)!.toString())).toEqual(winners[0]);
      const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      for (const refusal of refusals) expect(refusal).toMatchObject({ name: 'Fault', code: 'refused' });
      await run((outcomes.find(isDone) as PromiseFulfilledResult<ResumedSession>).value.log.close());
      expect([...files.contents.keys()]).toEqual([path]);
    }),
    { numRuns: 150 },
  );
});

const isDone = ({ status }: PromiseSettledResult<unknown>) => status === 'fulfilled';

test('processes that take turns leave a log of complete lines, with each entry once', async () => {
  const { path, createStoreAs } = createLockFixture(
    Array.from({ length: 5 }, (_, i) => ({ pid: i, startTime: 1, host: 'here' })),
  );
  let written = 0;
  const writer = async (pid: number) => {
    const store = createStoreAs({ pid, startTime: 1, host: 'here' });
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const session = await store.resume(path).catch(() => undefined);
      if (!session) continue;
      written += 1;
      await session.log.append([{ ...entry(written), parentId: session.leafId }]);
      await session.log.close();
    }
  };
  await Promise.all([0, 1, 2, 3, 4].map(writer));
  expect(written).toBeGreaterThan(5);
  expect(readLines(path)).toEqual([header, ...Array.from({ length: written + 1 }, (_, n) => entry(n))]);
});
