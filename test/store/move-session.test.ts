// Moving a session to another working directory, with a fault at every operation: the session is never lost and never there twice.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFiles } from '../../src/app/system-ports/files.ts';
import type { Clock, Files } from '../../src/contracts/index.ts';
import { createSessionIndex } from '../../src/store/session-index.ts';
import { getSessionDirectory } from '../../src/store/session-paths.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { entry, header } from './contract.ts';
import { createFaultyFiles, type InjectedFault } from './faulty-files.ts';
import { clock, createFakeProcesses, createStoreFixture, currentProcess, toLine } from './store-fixture.ts';

const NAME = '2026-01-02T03-04-05-000Z_one';
const OLD_CWD = header.cwd;
const NEW_CWD = '/srv/new';
const body = [entry(0), entry(1)].map(toLine).join('');

function setup(agentDirectory = createTemporaryDirectory()) {
  const [oldFolder, newFolder] = [OLD_CWD, NEW_CWD].map((cwd) => getSessionDirectory(agentDirectory, cwd)) as [
    string,
    string,
  ];
  mkdirSync(join(oldFolder, NAME), { recursive: true });
  const file = join(oldFolder, `${NAME}.jsonl`);
  writeFileSync(file, toLine({ ...header, id: 'one', unknown: 7 }) + body);
  writeFileSync(join(oldFolder, NAME, '0.bash.log'), 'the output');
  writeFileSync(join(oldFolder, NAME, 'Task.jsonl'), 'subagent');
  writeFileSync(`${file}.v2.bak`, 'backup');
  writeFileSync(`${file}.digest`, 'digest');
  return { agentDirectory, oldFolder, newFolder, file, next: join(newFolder, `${NAME}.jsonl`) };
}

function openIndex(
  agentDirectory: string,
  files: Files = createFiles(),
  self = currentProcess,
  running = [currentProcess],
) {
  return createSessionIndex({
    ports: { files, clock },
    identity: createFakeProcesses(running).identity(self),
    agentDirectory,
  });
}

function openLaterIndex(agentDirectory: string) {
  const self = { pid: 1, startTime: 1, host: currentProcess.host };
  const ports = { files: createFiles(), clock: laterClock };
  return createSessionIndex({ ports, identity: createFakeProcesses([self]).identity(self), agentDirectory });
}

/** Lock files that a crash has left incomplete are stale by then. */
const laterClock = { now: () => Date.now() + 60_000 } as Clock;

/** Resumes the session as the next process and closes it. */
async function resume(path: string) {
  const later = { pid: 999, startTime: 5, host: currentProcess.host };
  const identity = createFakeProcesses([later]).identity(later);
  const { store } = createStoreFixture(createFiles(), join(path, '..'), { identity, clock: laterClock });
  const resumed = await store.resume(path);
  await resumed.log.close();
  return resumed;
}

test('the log, its artifacts, subagent logs and backups are in the new folder, and the header names the new directory', async () => {
  const { agentDirectory, oldFolder, newFolder, file, next } = setup();
  const index = openIndex(agentDirectory);
  expect(await index.move(file, NEW_CWD)).toBe(next);
  expect(readdirSync(oldFolder)).toEqual([]);
  expect(readdirSync(newFolder).sort()).toEqual([NAME, `${NAME}.jsonl`, `${NAME}.jsonl.v2.bak`]);
  expect(readdirSync(join(newFolder, NAME)).sort()).toEqual(['0.bash.log', 'Task.jsonl']);
  const [first = '', ...rest] = readFileSync(next, 'utf8').split('\n');
  expect(JSON.parse(first)).toEqual({ ...header, id: 'one', unknown: 7, cwd: NEW_CWD, movedFrom: file });
  expect(rest.join('\n')).toBe(body);
  expect(await index.locate('one')).toMatchObject({ path: next, cwd: NEW_CWD, messages: 2 });
  // And back.
  expect(await index.move(next, OLD_CWD)).toBe(file);
  expect(existsSync(join(oldFolder, NAME, '0.bash.log'))).toBe(true);
  expect(readdirSync(newFolder)).toEqual([]);
});

test('a session that another process uses is not touched', async () => {
  const { agentDirectory, file, newFolder } = setup();
  const other = { pid: 77, startTime: 1, host: currentProcess.host };
  writeFileSync(`${file}.lock`, JSON.stringify(other));
  const index = openIndex(agentDirectory, createFiles(), currentProcess, [currentProcess, other]);
  const before = readFileSync(file, 'utf8');
  await expect(index.move(file, NEW_CWD)).rejects.toThrow('in use by process 77');
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(readdirSync(newFolder)).toEqual([]);
});

test('a file in the new folder is never replaced', async () => {
  for (const taken of [`${NAME}.jsonl`, NAME]) {
    const { agentDirectory, file, newFolder } = setup();
    mkdirSync(newFolder, { recursive: true });
    writeFileSync(join(newFolder, taken), 'mine');
    const before = readFileSync(file, 'utf8');
    await expect(openIndex(agentDirectory).move(file, NEW_CWD)).rejects.toThrow('exists');
    expect(readFileSync(join(newFolder, taken), 'utf8')).toBe('mine');
    expect(readFileSync(file, 'utf8')).toBe(before);
  }
});

test('files that are no sessions are refused', async () => {
  const { agentDirectory, oldFolder } = setup();
  const index = openIndex(agentDirectory);
  writeFileSync(join(oldFolder, 'notes.txt'), toLine(header));
  writeFileSync(join(oldFolder, 'broken.jsonl'), 'no header\n');
  await expect(index.move(join(oldFolder, 'notes.txt'), NEW_CWD)).rejects.toThrow('not a session');
  await expect(index.move(join(oldFolder, 'broken.jsonl'), NEW_CWD)).rejects.toThrow('Not a session');
  await expect(index.move(join(oldFolder, 'none.jsonl'), NEW_CWD)).rejects.toThrow('Session not found');
  expect(readFileSync(join(oldFolder, 'broken.jsonl'), 'utf8')).toBe('no header\n');
});

describe('a fault at any operation', () => {
  test.each<InjectedFault>(['fail', 'late', 'crash'])(
    '%s: the session is there once, complete, and can be moved again',
    async (fault) => {
      let operations = 0;
      for (let n = 1; ; n += 1) {
        const { agentDirectory, file, next } = setup();
        const files = createFaultyFiles((operation) => (operation === n ? fault : undefined));
        const outcome = await openIndex(agentDirectory, files)
          .move(file, NEW_CWD)
          .catch((problem: unknown) => problem);
        await files.closeLeakedFiles();
        if (files.total < n) break;
        operations = n;
        const places = [file, next].filter((path) => existsSync(path));
        expect({ n, places: places.length }).toEqual({ n, places: 1 });
        const [place = ''] = places;
        if (typeof outcome === 'string') expect(place).toBe(outcome);
        expect(readFileSync(place, 'utf8').split('\n').slice(1).join('\n')).toBe(body);
        const listed = await openIndex(agentDirectory).list();
        expect(listed.map(({ id }) => id)).toEqual(['one']);
        // The next process finds the artifacts beside the log.
        const { header: resumedHeader } = await resume(place);
        expect(existsSync(join(place.replace(/\.jsonl$/, ''), '0.bash.log'))).toBe(true);
        expect([OLD_CWD, NEW_CWD]).toContain(resumedHeader.cwd);
        if (place === next) expect(resumedHeader.cwd).toBe(NEW_CWD);
        expect(await openLaterIndex(agentDirectory).move(place, NEW_CWD)).toBe(next);
        expect(existsSync(join(next.replace(/\.jsonl$/, ''), 'Task.jsonl'))).toBe(true);
      }
      expect(operations).toBeGreaterThan(15);
    },
  );
});

test('in a configured session folder only the header changes', async () => {
  const { file, oldFolder } = setup();
  const identity = createFakeProcesses().identity(currentProcess);
  const index = createSessionIndex({
    ports: { files: createFiles(), clock },
    identity,
    agentDirectory: '/none',
    sessionDirectory: oldFolder,
  });
  expect(await index.move(file, NEW_CWD)).toBe(file);
  expect(await index.locate('one')).toMatchObject({ path: file, cwd: NEW_CWD });
  expect(existsSync(join(oldFolder, NAME, '0.bash.log'))).toBe(true);
});
