// Tests of copying sessions between files and a database: byte by byte the same after both directions.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createIds } from '../../../src/app/system-ports/ids.ts';
import { createContentCipher } from '../../../src/store/postgres/content-cipher.ts';
import { exportSession } from '../../../src/store/postgres/export-session.ts';
import { importSession } from '../../../src/store/postgres/import-session.ts';
import { cutLog } from '../../../src/store/postgres/log-pieces.ts';
import type { PostgresStorage } from '../../../src/store/postgres/postgres-store.ts';
import { createSessionLocks } from '../../../src/store/session-lock.ts';
import { getSessionDirectory } from '../../../src/store/session-paths.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { entry, header } from '../contract.ts';
import { createFakeProcesses, currentProcess } from '../store-fixture.ts';
import { openPostgres, openStore } from './postgres-fixture.ts';

const KEY = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const IMPORT = { shouldReplace: false, isDryRun: false };
const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);
const LOG = Buffer.concat([line(header), line(entry(0)), line(entry(1))]);

function createLocks({ files, clock }: PostgresStorage) {
  return createSessionLocks({ files, clock, identity: createFakeProcesses([currentProcess]).identity(currentProcess) });
}

/** Writes a session file in the layout of an agent directory. */
function writeSession(
  log: Buffer,
  files: Readonly<Record<string, string | Buffer>> = {},
  name = 'original-name.jsonl',
) {
  const agentDirectory = createTemporaryDirectory();
  const folder = getSessionDirectory(agentDirectory, header.cwd);
  const file = join(folder, name);
  for (const [path, content] of Object.entries({ [file]: log, ...mapKeys(files, (path) => join(folder, path)) })) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return { agentDirectory, folder, file };
}

function mapKeys<T>(record: Readonly<Record<string, T>>, change: (key: string) => string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [change(key), value]));
}

/** The content of all files, by their paths. */
function readTree(directory: string): Record<string, string> {
  const paths = readdirSync(directory, { recursive: true }) as string[];
  const files = paths.filter((path) => statSync(join(directory, path)).isFile()).sort();
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(directory, path)).toString('latin1')]));
}

async function open(keys?: string) {
  const { openStorage, database } = await openPostgres();
  const storage = openStorage({ cipher: createContentCipher(keys, createIds()) });
  const locks = createLocks(storage);
  const bring = (file: string, options = IMPORT) => importSession(storage, locks, file, options);
  const exportTo = (directory: string, id: string = header.id) =>
    exportSession(storage, locks, id, { directory, isDryRun: false });
  return { openStorage, storage, database, locks, bring, exportTo };
}

const image = Buffer.alloc(20_000, 3).toString('base64');
const damagedLine = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => Buffer.from(text)),
  fc
    .constantFrom('', '\r', '\0\0\0', '{"type":"message"', '{"a":"b"}\0{"type":"x"}', '\u{feff}')
    .map((text) => Buffer.from(text)),
  fc.integer({ min: 0, max: 5 }).map((n) => Buffer.from(JSON.stringify(entry(n)))),
  fc.constant(Buffer.from(`{"type":"image","data":"${image}"}`)),
  fc.constant(Buffer.from(`{"data":"${image}","x":"\0"}`)),
);
const log = fc
  .record({
    lines: fc.array(damagedLine, { maxLength: 12 }),
    ending: fc.constantFrom('\n', '\r\n'),
    isEnded: fc.boolean(),
  })
  .map(({ lines, ending, isEnded }) => {
    const head = Buffer.from(JSON.stringify(header).replace('{', '{ '));
    const all = [head, ...lines].flatMap((bytes) => [bytes, Buffer.from(ending)]);
    return Buffer.concat(isEnded ? all : all.slice(0, -1));
  });

test.each([
  ['without encryption', undefined],
  ['with encryption', KEY],
])('any session file is the same after an import and an export, %s', async (_, keys) => {
  const { storage, bring, exportTo } = await open(keys);
  await fc.assert(
    fc.asyncProperty(log, async (bytes) => {
      const { file } = writeSession(bytes);
      const target = createTemporaryDirectory();
      expect((await bring(file)).outcome).toBe('imported');
      const exported = await exportTo(target);
      expect(readFileSync(exported.path).equals(bytes)).toBe(true);
      const listed = (await openStore(storage).list())[0];
      expect(listed?.bytes).toBeGreaterThanOrEqual(0);
      await openStore(storage).remove(listed?.path as string);
    }),
    { numRuns: 30 },
  );
});

test('artifacts, backups, images and the name of the file are copied in both directions', async () => {
  const { storage, bring, exportTo } = await open(KEY);
  const hash = 'a'.repeat(64);
  const content = [{ type: 'image', data: `blob:sha256:${hash}`, mimeType: 'image/png' }];
  const message = { ...entry(1), message: { role: 'user', content, timestamp: 1 } };
  const { agentDirectory, file } = writeSession(Buffer.concat([line(header), line(entry(0)), line(message)]), {
    'original-name/0.bash.log': Buffer.alloc(2_500_000, 1),
    'original-name/empty': '',
    'original-name/Docs/Docs.Sub.jsonl': 'a log\0',
    'original-name.jsonl.v1.bak': 'before',
    [`../../blobs/${hash}`]: 'png',
  });
  symlinkSync('/dev/null', join(dirname(file), 'original-name', 'link'));
  const imported = await bring(file);
  expect(imported).toMatchObject({ outcome: 'imported', files: 5, bytes: statSync(file).size + 2_500_000 + 6 + 6 + 3 });
  expect(imported.notes).toEqual([expect.stringContaining('not a regular file')]);
  const target = createTemporaryDirectory();
  const exported = await exportTo(target);
  const expected = readTree(agentDirectory);
  delete expected[`${exported.path.slice(target.length + 1, -'.jsonl'.length)}/link`];
  expect(readTree(target)).toEqual(expected);
  expect(statSync(exported.path).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(exported.path)).mode & 0o777).toBe(0o700);
  expect(statSync(join(dirname(exported.path), 'original-name', '0.bash.log')).mode & 0o777).toBe(0o600);
  // The image loads from the database.
  const stored = await openStore(storage).read(imported.reference);
  const blocks = (stored.entries.at(-1) as unknown as { message: { content: { data: string }[] } }).message.content;
  expect(Buffer.from(blocks[0]?.data ?? '', 'base64').toString()).toBe('png');
  const resumed = await openStore(storage).resume(imported.reference);
  onTestFinished(() => resumed.log.close());
  expect(resumed.path.at(-1)).toMatchObject({
    message: { content: [{ data: Buffer.from('png').toString('base64') }] },
  });
  await resumed.log.directory?.restore?.();
  expect(readdirSync(resumed.log.directory?.path as string).sort()).toEqual(['0.bash.log', 'Docs', 'empty']);
  await resumed.log.directory?.save?.();
  expect((await exportTo(createTemporaryDirectory())).files).toBe(5);
});

test('the summary is that of the session file', async () => {
  const { storage, bring } = await open();
  const { file } = writeSession(LOG);
  await bring(file);
  const [stored] = await openStore(storage).list();
  const modifiedMs = Math.round(statSync(file).mtimeMs);
  expect(stored).toMatchObject({ id: header.id, messages: 2, opening: 'message 0', modifiedMs, cwd: header.cwd });
});

test.each([
  ['a last line without a line end', Buffer.concat([LOG.subarray(0, -1)]), 3],
  ['an incomplete last line', LOG.subarray(0, -9), 2],
  ['a header without a line end', line(header).subarray(0, -1), 1],
])('%s: the imported session is continued on a new line', async (_, bytes, count) => {
  const { storage, bring, exportTo } = await open();
  await bring(writeSession(bytes).file);
  const resumed = await openStore(storage).resume(header.id);
  const next = { ...entry(7), parentId: resumed.leafId };
  await resumed.log.append([next]);
  await resumed.log.append([{ ...entry(8), parentId: next.id }]);
  expect(await resumed.log.readAll()).toHaveLength(count + 1);
  await resumed.log.close();
  const { path } = await exportTo(createTemporaryDirectory());
  expect(readFileSync(path).subarray(0, bytes.length + 1)).toEqual(Buffer.concat([bytes, Buffer.from('\n')]));
});

test('existing sessions are skipped, and replaced on request unless they are in use', async () => {
  const { openStorage, storage, locks, bring, exportTo } = await open();
  await bring(writeSession(LOG).file);
  const longer = writeSession(Buffer.concat([LOG, line(entry(2))])).file;
  expect((await bring(longer)).outcome).toBe('exists');
  const other = openStore(openStorage({ self: { pid: 77, host: 'elsewhere' } }));
  const used = await other.resume(header.id);
  await expect(bring(longer, { ...IMPORT, shouldReplace: true })).rejects.toThrow('in use by process 77 on elsewhere');
  await used.log.close();
  expect((await bring(longer, { shouldReplace: true, isDryRun: true })).outcome).toBe('replaced');
  expect((await openStore(storage).read(`postgres:${header.id}`)).entries).toHaveLength(2);
  expect((await bring(longer, { ...IMPORT, shouldReplace: true })).outcome).toBe('replaced');
  expect((await openStore(storage).read(`postgres:${header.id}`)).entries).toHaveLength(3);
  await expect(used.log.append([entry(9)])).rejects.toThrow();
  const target = createTemporaryDirectory();
  const { path } = await exportTo(target);
  expect(await exportTo(target)).toMatchObject({ outcome: 'exists', path });
  const again = exportSession(storage, locks, 'none', { directory: target, isDryRun: false });
  await expect(again).rejects.toThrow('Session not found: postgres:none');
});

test('a writer that has lost its session cannot write to the session that replaced it', async () => {
  const { openStorage, storage, bring } = await open();
  const { file } = writeSession(LOG);
  await bring(file);
  const lost = await openStore(storage).resume(header.id);
  // The process has ended for the others.
  const identity = createFakeProcesses([]).identity({ pid: 77, host: 'here' });
  const other = openStorage({ identity });
  const options = { shouldReplace: true, isDryRun: false };
  expect((await importSession(other, createLocks(other), file, options)).outcome).toBe('replaced');
  await expect(lost.log.append([entry(5)])).rejects.toMatchObject({ details: { reason: 'lease_lost' } });
});

test('a failure stores nothing', async () => {
  const { storage, database, bring } = await open();
  const { file } = writeSession(LOG, { 'original-name/a': 'a' });
  await database.query(`alter table parley.files add constraint no_a check (name <> 'a')`);
  await expect(bring(file)).rejects.toThrow('no_a');
  expect(await openStore(storage).list()).toEqual([]);
  expect(existsSync(`${file}.lock`)).toBe(false);
});

test('a session file that another process uses is refused', async () => {
  const { locks, bring } = await open();
  const { file } = writeSession(LOG);
  const lock = await locks.acquire(file);
  await expect(bring(file)).rejects.toThrow('in use by process 4321');
  await lock.release();
  expect((await bring(file)).outcome).toBe('imported');
});

test('old formats are upgraded, and the file is not changed', async () => {
  const { storage, bring } = await open();
  const { version: _, ...oldHeader } = header;
  const { id: _id, parentId: _parentId, ...old } = entry(0);
  const bytes = Buffer.concat([line(oldHeader), line(old), Buffer.from('damaged\n'), line(old)]);
  const { file } = writeSession(bytes);
  const { notes } = await bring(file);
  expect(notes).toEqual([
    expect.stringContaining('upgraded from format 1'),
    expect.stringContaining('1 damaged lines were left out'),
  ]);
  expect(readFileSync(file)).toEqual(bytes);
  const resumed = await openStore(storage).resume(header.id);
  expect(resumed.path).toHaveLength(2);
  await resumed.log.close();
});

test('names in the database do not lead out of the directory', async () => {
  const { database, storage, bring, exportTo } = await open();
  await bring(writeSession(LOG, { 'original-name/a': 'a' }).file);
  await database.tenantTransaction('default', (connection) =>
    connection.query(`update parley.files set name = '../../../a' where name = 'a'`),
  );
  const target = createTemporaryDirectory();
  await expect(exportTo(target)).rejects.toThrow('names a file that is not in the directory');
  expect(Object.keys(readTree(target))).toEqual([]);
  expect(storage.tenant).toBe('default');
});

test('lines that are too long for a row are cut', async () => {
  async function* read() {
    for (const text of ['ab', 'cdef\ngh', 'ijkl', 'mn\n', 'o']) yield Buffer.from(text);
  }
  const pieces = [];
  for await (const batch of cutLog(read(), 4)) pieces.push(...batch);
  expect(pieces.map(({ bytes, isLine, beginsLine }) => [bytes.toString(), isLine, beginsLine])).toEqual([
    ['abcdef\n', true, true],
    ['ghijkl', false, true],
    ['mn\n', false, false],
    ['o', true, true],
  ]);
});
