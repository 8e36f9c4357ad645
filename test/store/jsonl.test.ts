import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { createFiles } from '../../src/app/system-ports/files.ts';
import { type Deferred, deferred } from '../../src/base/deferred.ts';
import type { Files } from '../../src/contracts/ports.ts';
import type { SessionLog } from '../../src/contracts/store.ts';
import { sessionFolder, sessionFolders } from '../../src/store/index.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { entry, header, storeContract } from './contract.ts';
import { faultyFiles } from './faulty-files.ts';
import { place } from './place.ts';

function open(files: Files = createFiles(), directory = join(temporaryDirectory(), 'sessions/--place--')) {
  return place(files, directory);
}

/** The operation that writes the header and the first entries: after the folder, the lock and the opening of the file. */
const FIRST_BLOCK = 6;

function read(log: SessionLog) {
  if (!existsSync(log.file!)) return undefined;
  const text = readFileSync(log.file!, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  const [first, ...entries] = text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
  return { header: first, entries };
}

storeContract('the jsonl store', () => ({ store: open().store, read, keeps: true }));

test('the file is named after its time and session, and is not there before the first append', async () => {
  const { store, directory } = open();
  const log = store.create(header);
  expect(log.file).toBe(join(directory, '2026-01-02T03-04-05-678Z_0d9f6a60-1111-4222-8333-444455556666.jsonl'));
  await log.append([]);
  expect(existsSync(directory)).toBe(false);
  await log.append([entry(0)]);
  expect(readdirSync(directory)).toEqual([basename(log.file!), `${basename(log.file!)}.lock`]);
  await log.close();
  expect(readdirSync(directory)).toEqual([basename(log.file!)]);
});

test('a log that was never written leaves nothing', async () => {
  const { store, directory } = open();
  await store.create(header).close();
  expect(existsSync(directory)).toBe(false);
});

test('directories are for their owner only, and so are files', async () => {
  const umask = process.umask(0);
  try {
    const { store, directory } = open();
    const log = store.create(header);
    await log.append([entry(0)]);
    const modes = [log.file!, `${log.file}.lock`, directory, join(directory, '..')].map((path) =>
      (statSync(path).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['600', '600', '700', '700']);
    await log.close();
  } finally {
    process.umask(umask);
  }
});

test('an id from a host cannot lead out of the folder', () => {
  const { store, directory } = open();
  const { file } = store.create({ ...header, id: '../../etc/pass wd\0' });
  expect(file).toBe(join(directory, '2026-01-02T03-04-05-678Z_..-..-etc-pass-wd-.jsonl'));
});

test('nobody else’s file is written to', async () => {
  const { store, directory } = open();
  const log = store.create(header);
  mkdirSync(directory, { recursive: true });
  writeFileSync(log.file!, 'theirs');
  await expect(log.append([entry(0)])).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining('EEXIST'),
  });
  await log.close();
  expect(readFileSync(log.file!, 'utf8')).toBe('theirs');
});

test('no reader finds a line end inside a line', async () => {
  const { store } = open();
  const log = store.create({ ...header, cwd: '/a\u2028b' });
  await log.append([entry(0, 'one\u2028two\u2029three\nfour\r')]);
  expect(readFileSync(log.file!, 'utf8').split(/[\n\r\u2028\u2029]/)).toHaveLength(3);
  await log.close();
});

test('an entry is taken down when it is given', async () => {
  const { store } = open();
  const log = store.create(header);
  const growing = { ...entry(0), note: 'then' };
  const appended = log.append([growing]);
  growing.note = 'later';
  await appended;
  expect(read(log)?.entries).toEqual([{ ...entry(0), note: 'then' }]);
  await log.close();
});

test('an entry that is not JSON is refused alone', async () => {
  const { store } = open();
  const log = store.create(header);
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const good = log.append([entry(0)]);
  await expect(log.append([{ ...entry(1), details: circle }])).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining(`Cannot write session file ${log.file}: an entry is not JSON`),
  });
  await good;
  expect(read(log)?.entries).toEqual([entry(0)]);
  await log.close();
});

/** Files whose sync waits to be let through. */
function gatedFiles() {
  const files = faultyFiles(() => undefined);
  const gates: Deferred<void>[] = [];
  const reached: Deferred<void>[] = [];
  const gate = (n: number) => (gates[n] ??= deferred());
  const arrival = (n: number) => (reached[n] ??= deferred());
  let syncs = 0;
  const gated: Files = {
    ...files,
    async open(path, purpose, options) {
      const file = await files.open(path, purpose, options);
      if (purpose === 'read') return file;
      return {
        ...file,
        async sync() {
          const n = syncs;
          syncs += 1;
          arrival(n).resolve();
          await gate(n).promise;
          await file.sync();
        },
      };
    },
  };
  return { files: gated, counts: files.counts, gate, arrival };
}

test('calls made while a write is under way share the next write and its sync', async () => {
  const { files, counts, gate, arrival } = gatedFiles();
  const log = open(files).store.create(header);
  const settled: number[] = [];
  const append = (n: number) => log.append([entry(n)]).then(() => settled.push(n));
  const first = [append(0), append(1)];
  await arrival(0).promise;
  const second = Array.from({ length: 50 }, (_, i) => append(i + 2));
  expect(settled).toEqual([]);
  gate(0).resolve();
  await Promise.all(first);
  await arrival(1).promise;
  expect(settled).toEqual([0, 1]);
  gate(1).resolve();
  await Promise.all(second);
  expect(settled).toEqual(Array.from({ length: 52 }, (_, i) => i));
  // One of the appends and one of the files is the lock.
  expect(counts).toMatchObject({ append: 3, 'sync create': 2, 'open create': 2 });
  await log.close();
});

test('the first append is one write of header and entries', async () => {
  const files = faultyFiles(() => undefined);
  const log = open(files).store.create(header);
  await log.append([entry(0), entry(1)]);
  expect(files.counts).toEqual({
    makeDirectory: 1,
    // The lock and the file.
    'open create': 2,
    append: 2,
    'sync create': 1,
    'open read': 1,
    'sync read': 1,
    close: 2,
  });
  await log.close();
});

test('the fault names the file and the cause', async () => {
  const files = faultyFiles((n) => (n === FIRST_BLOCK ? 'fail' : undefined));
  const log = open(files).store.create(header);
  await expect(log.append([entry(0)])).rejects.toMatchObject({
    name: 'Fault',
    code: 'storage',
    message: `Cannot write session file ${log.file}: ENOSPC: no space left on device, append`,
    cause: expect.objectContaining({ code: 'ENOSPC' }),
  });
  await log.append([entry(0)]);
  expect(read(log)?.entries).toEqual([entry(0)]);
  await log.close();
});

test('what waited behind a write that failed fails with it, for it hangs on what was lost', async () => {
  const { files, gate, arrival } = gatedFiles();
  const log = open(files).store.create(header);
  const first = log.append([entry(0)]);
  const outcomes = [first];
  await arrival(0).promise;
  outcomes.push(log.append([entry(1)]), log.append([entry(2)]));
  const settled = Promise.allSettled(outcomes);
  gate(0).reject(new Error('EIO'));
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  gate(1).resolve();
  await log.append([entry(0)]);
  expect(read(log)?.entries).toEqual([entry(0)]);
  await log.close();
});

test('a log that never got its first line through leaves no empty file', async () => {
  const files = faultyFiles((n) => (n === FIRST_BLOCK ? 'torn' : undefined));
  const { store, directory } = open(files);
  const log = store.create(header);
  await expect(log.append([entry(0)])).rejects.toMatchObject({ code: 'storage' });
  await log.close();
  expect(readdirSync(directory)).toEqual([]);
});

test('sessions lie in a folder named after their working directory', () => {
  expect(sessionFolder('/home/x/.parley', '/project/some place/a:b')).toBe(
    '/home/x/.parley/sessions/--project-some place-a-b--',
  );
  expect(sessionFolder('C:/x', 'C:\\work\\y')).toBe('C:/x/sessions/--C--work-y--');
});

test('the folders of all working directories can be named', async () => {
  const agentDirectory = temporaryDirectory();
  expect(await sessionFolders(createFiles(), agentDirectory)).toEqual([]);
  const folders = ['/one', '/two'].map((cwd) => sessionFolder(agentDirectory, cwd));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  writeFileSync(join(agentDirectory, 'sessions/stray'), '');
  expect((await sessionFolders(createFiles(), agentDirectory)).sort()).toEqual(folders);
});

test('a working directory deeper than a name may be long still has a folder of its own', () => {
  const deep = (last: string) => basename(sessionFolder('/a', `/${'ünï/'.repeat(200)}${last}${'/x'.repeat(60)}`));
  expect(Buffer.byteLength(deep('one'))).toBeLessThanOrEqual(255);
  expect(deep('one')).toBe(deep('one'));
  expect(deep('one')).not.toBe(deep('two'));
  expect(deep('one')).toMatch(/^--[0-9a-f]{8}-.*-x-x--$/);
});

test('a directory that may not be written to is a fault, and no longer once it may', async () => {
  const { store, directory } = open(faultyFiles((n) => (n <= 2 ? 'fail' : undefined)));
  const log = store.create(header);
  await expect(log.append([entry(0)])).rejects.toMatchObject({ message: expect.stringContaining('makeDirectory') });
  await expect(log.append([entry(0)])).rejects.toMatchObject({ message: expect.stringContaining('ENOSPC') });
  await log.append([entry(0)]);
  chmodSync(directory, 0o500);
  await log.append([entry(1)]);
  expect(read(log)?.entries).toEqual([entry(0), entry(1)]);
  chmodSync(directory, 0o700);
  await log.close();
});
