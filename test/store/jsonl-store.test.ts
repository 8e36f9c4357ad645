// Tests of creating and writing session files.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { createFiles } from '../../src/app/system-ports/files.ts';
import { createDeferred, type Deferred } from '../../src/base/deferred.ts';
import type { Files } from '../../src/contracts/ports.ts';
import type { SessionLog } from '../../src/contracts/session-store.ts';
import { getSessionDirectory, listSessionDirectories } from '../../src/store/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { entry, header, storeContract } from './contract.ts';
import { createFaultyFiles } from './faulty-files.ts';
import { createStoreFixture } from './store-fixture.ts';

function open(files: Files = createFiles(), directory = join(createTemporaryDirectory(), 'sessions/--place--')) {
  return createStoreFixture(files, directory);
}

/** The operation that writes the header and the first entries: after creating the directory, the lock and the file. */
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

test('the file is named after its time and session id, and is created by the first append', async () => {
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

test('a log that was never written leaves no files', async () => {
  const { store, directory } = open();
  await store.create(header).close();
  expect(existsSync(directory)).toBe(false);
});

test('directories and files are accessible by the owner only', async () => {
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

test('an id from a host cannot lead out of the directory', () => {
  const { store, directory } = open();
  const { file } = store.create({ ...header, id: '../../etc/pass wd\0' });
  expect(file).toBe(join(directory, '2026-01-02T03-04-05-678Z_..-..-etc-pass-wd-.jsonl'));
});

test('an existing file is not overwritten', async () => {
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

test('line separators inside of texts are escaped', async () => {
  const { store } = open();
  const log = store.create({ ...header, cwd: '/a\u2028b' });
  await log.append([entry(0, 'one\u2028two\u2029three\nfour\r')]);
  expect(readFileSync(log.file!, 'utf8').split(/[\n\r\u2028\u2029]/)).toHaveLength(3);
  await log.close();
});

test('an entry is serialized when append is called', async () => {
  const { store } = open();
  const log = store.create(header);
  const growing = { ...entry(0), note: 'then' };
  const appended = log.append([growing]);
  growing.note = 'later';
  await appended;
  expect(read(log)?.entries).toEqual([{ ...entry(0), note: 'then' }]);
  await log.close();
});

test('an entry that is not serializable fails only its own append', async () => {
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

/** Files whose sync waits until the test resolves it. */
function createGatedFiles() {
  const files = createFaultyFiles(() => undefined);
  const gates: Deferred<void>[] = [];
  const reached: Deferred<void>[] = [];
  const gate = (n: number) => (gates[n] ??= createDeferred());
  const arrival = (n: number) => (reached[n] ??= createDeferred());
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

test('calls during a write share the next write and its sync', async () => {
  const { files, counts, gate, arrival } = createGatedFiles();
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
  // One of the appends and one of the opened files belong to the lock.
  expect(counts).toMatchObject({ append: 3, 'sync create': 2, 'open create': 2 });
  await log.close();
});

test('the first append writes the header and the entries at once', async () => {
  const files = createFaultyFiles(() => undefined);
  const log = open(files).store.create(header);
  await log.append([entry(0), entry(1)]);
  expect(files.counts).toEqual({
    makeDirectory: 1,
    // The lock and the session file.
    'open create': 2,
    append: 2,
    'sync create': 1,
    'open read': 1,
    'sync read': 1,
    close: 2,
  });
  await log.close();
});

test('the error names the file and the cause', async () => {
  const files = createFaultyFiles((n) => (n === FIRST_BLOCK ? 'fail' : undefined));
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

test('queued appends fail together with a failed write', async () => {
  const { files, gate, arrival } = createGatedFiles();
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

test('no empty file remains when the first write fails', async () => {
  const files = createFaultyFiles((n) => (n === FIRST_BLOCK ? 'torn' : undefined));
  const { store, directory } = open(files);
  const log = store.create(header);
  await expect(log.append([entry(0)])).rejects.toMatchObject({ code: 'storage' });
  await log.close();
  expect(readdirSync(directory)).toEqual([]);
});

test('the session directory is named after the working directory', () => {
  expect(getSessionDirectory('/home/x/.parley', '/project/some place/a:b')).toBe(
    '/home/x/.parley/sessions/--project-some place-a-b--',
  );
  expect(getSessionDirectory('C:/x', 'C:\\work\\y')).toBe('C:/x/sessions/--C--work-y--');
});

test('all session directories are listed', async () => {
  const agentDirectory = createTemporaryDirectory();
  expect(await listSessionDirectories(createFiles(), agentDirectory)).toEqual([]);
  const folders = ['/one', '/two'].map((cwd) => getSessionDirectory(agentDirectory, cwd));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  writeFileSync(join(agentDirectory, 'sessions/stray'), '');
  expect((await listSessionDirectories(createFiles(), agentDirectory)).sort()).toEqual(folders);
});

test('a working directory longer than a file name has a unique session directory', () => {
  const getDeepName = (last: string) =>
    basename(getSessionDirectory('/a', `/${'ünï/'.repeat(200)}${last}${'/x'.repeat(60)}`));
  expect(Buffer.byteLength(getDeepName('one'))).toBeLessThanOrEqual(255);
  expect(getDeepName('one')).toBe(getDeepName('one'));
  expect(getDeepName('one')).not.toBe(getDeepName('two'));
  expect(getDeepName('one')).toMatch(/^--[0-9a-f]{8}-.*-x-x--$/);
});

test('appending works again when the directory becomes writable', async () => {
  const { store, directory } = open(createFaultyFiles((n) => (n <= 2 ? 'fail' : undefined)));
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
