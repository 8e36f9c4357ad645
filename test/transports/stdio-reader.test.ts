// Detection of a closed pipe reader when some processes cannot be inspected.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchPipeReader } from '../../src/transports/stdio-pipe-watch.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Creates a pipe that another process reads, and opens its write end. */
function createPipeWithReader() {
  const path = join(createTemporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = spawn('cat', [path], { stdio: 'ignore' });
  const fd = fs.openSync(path, 'w');
  onTestFinished(() => {
    reader.kill('SIGKILL');
    fs.closeSync(fd);
  });
  return { fd, reader };
}

/** Starts a process that is newer than this one. */
function startNewerProcess(): number {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid!;
}

/** Makes /proc show the process as unrelated: in its own session, with process 1 as parent. */
function makeUnrelated(pid: number): void {
  const real = fs.readFileSync;
  const spy = vi.spyOn(fs, 'readFileSync').mockImplementation(((path: string, ...rest: []) => {
    const text = real(path, ...rest);
    if (path !== `/proc/${pid}/stat`) return text;
    return String(text).replace(/\) (\S) \d+ \d+ \d+ /, `) $1 1 ${pid} ${pid} `);
  }) as typeof fs.readFileSync);
  onTestFinished(() => spy.mockRestore());
}

/** Denies access to the open files of these processes, as for processes of another user. */
function denyAccess(...pids: number[]) {
  const real = fs.readdirSync;
  const spy = vi.spyOn(fs, 'readdirSync').mockImplementation(((path: string, ...rest: []) => {
    if (pids.some((pid) => path === `/proc/${pid}/fd`)) throw Object.assign(new Error('denied'), { code: 'EACCES' });
    return real(path, ...rest);
  }) as typeof fs.readdirSync);
  onTestFinished(() => spy.mockRestore());
  return {
    countReads: (pid: number) => spy.mock.calls.filter(([path]) => path === `/proc/${pid}/fd`).length,
    allowAccess: () => pids.splice(0),
  };
}

/** Watches the pipe and resolves when its reader has been found. */
async function watchUntilFound(fd: number): Promise<() => boolean> {
  let isClosed = false;
  const isFound = observeReadEnd();
  watchPipeReader(fd, () => {
    isClosed = true;
  });
  await waitUntil(isFound);
  return () => isClosed;
}

/** Returns a function that reports whether a read end has been found since. */
function observeReadEnd(): () => boolean {
  const lstatCalls = vi.spyOn(fs, 'lstatSync');
  onTestFinished(() => lstatCalls.mockRestore());
  return () =>
    lstatCalls.mock.results.some(({ type, value }) => type === 'return' && (Number(value?.mode) & 0o400) !== 0);
}

test('a closed reader is detected although an unrelated process cannot be inspected', async () => {
  const { fd, reader } = createPipeWithReader();
  const pid = startNewerProcess();
  makeUnrelated(pid);
  const { countReads } = denyAccess(pid);
  const isClosed = await watchUntilFound(fd);
  reader.kill('SIGKILL');
  await waitUntil(isClosed);
  expect(countReads(pid)).toBeGreaterThan(0);
});

test('a related process that cannot be inspected may have the read end; when it can be inspected, the closed reader is detected', async () => {
  const { fd, reader } = createPipeWithReader();
  const pid = startNewerProcess();
  const { countReads, allowAccess } = denyAccess(pid);
  const isClosed = await watchUntilFound(fd);
  const before = countReads(pid);
  reader.kill('SIGKILL');
  // Two searches did not find the read end in any process that can be inspected.
  await waitUntil(() => countReads(pid) >= before + 2);
  expect(isClosed()).toBe(false);
  allowAccess();
  await waitUntil(isClosed);
});

test('a reader that the first search missed is found by a later one', async () => {
  const path = join(createTemporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  // Open only in this process, which the search skips.
  const readEnd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  const fd = fs.openSync(path, 'w');
  onTestFinished(() => fs.closeSync(fd));
  const searches = vi.spyOn(fs, 'readdirSync');
  onTestFinished(() => searches.mockRestore());
  const countSearches = () => searches.mock.calls.filter(([directory]) => directory === '/proc').length;
  const isFound = observeReadEnd();
  let isClosed = false;
  watchPipeReader(fd, () => {
    isClosed = true;
  });
  await waitUntil(() => countSearches() >= 2);
  expect(isFound()).toBe(false);
  const reader = spawn('sleep', ['600'], { stdio: [readEnd, 'ignore', 'ignore'] });
  onTestFinished(() => void reader.kill('SIGKILL'));
  fs.closeSync(readEnd);
  await waitUntil(isFound);
  expect(isClosed).toBe(false);
  reader.kill('SIGKILL');
  await waitUntil(() => isClosed);
});
