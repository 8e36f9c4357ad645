// Who reads a pipe, on a machine where not everybody may be looked at.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { watchReader } from '../../src/transports/stdio-reader.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { until } from '../support/until.ts';

/** A pipe that another process reads, and the end that is ours. */
function pipeWithReader() {
  const path = join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = spawn('cat', [path], { stdio: 'ignore' });
  const fd = fs.openSync(path, 'w');
  onTestFinished(() => {
    reader.kill('SIGKILL');
    fs.closeSync(fd);
  });
  return { fd, reader };
}

/** A process that began after us. */
function younger(): number {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid!;
}

/** The system says of it that it is in a session of its own, and nobody's child. */
function estrange(pid: number): void {
  const real = fs.readFileSync;
  const spy = vi.spyOn(fs, 'readFileSync').mockImplementation(((path: string, ...rest: []) => {
    const text = real(path, ...rest);
    if (path !== `/proc/${pid}/stat`) return text;
    return String(text).replace(/\) (\S) \d+ \d+ \d+ /, `) $1 1 ${pid} ${pid} `);
  }) as typeof fs.readFileSync);
  onTestFinished(() => spy.mockRestore());
}

/** Another user's: what it has open is its own affair. */
function hide(...pids: number[]) {
  const real = fs.readdirSync;
  const spy = vi.spyOn(fs, 'readdirSync').mockImplementation(((path: string, ...rest: []) => {
    if (pids.some((pid) => path === `/proc/${pid}/fd`)) throw Object.assign(new Error('denied'), { code: 'EACCES' });
    return real(path, ...rest);
  }) as typeof fs.readdirSync);
  onTestFinished(() => spy.mockRestore());
  return {
    asked: (pid: number) => spy.mock.calls.filter(([path]) => path === `/proc/${pid}/fd`).length,
    show: () => pids.splice(0),
  };
}

/** Once it is seen that somebody reads. */
async function watched(fd: number): Promise<() => boolean> {
  let isGone = false;
  const isFound = watchFinding();
  watchReader(fd, () => {
    isGone = true;
  });
  await until(isFound);
  return () => isGone;
}

/** Tells whether a read end has been found since. */
function watchFinding(): () => boolean {
  const looks = vi.spyOn(fs, 'lstatSync');
  onTestFinished(() => looks.mockRestore());
  return () => looks.mock.results.some(({ type, value }) => type === 'return' && (Number(value?.mode) & 0o400) !== 0);
}

test('strangers who hide do not hide that the reader is gone', async () => {
  const { fd, reader } = pipeWithReader();
  const pid = younger();
  estrange(pid);
  const { asked } = hide(pid);
  const isGone = await watched(fd);
  reader.kill('SIGKILL');
  await until(isGone);
  expect(asked(pid)).toBeGreaterThan(0);
});

test('one of our own kin who hides may have it; when it shows itself, it is known that nobody has', async () => {
  const { fd, reader } = pipeWithReader();
  const pid = younger();
  const { asked, show } = hide(pid);
  const isGone = await watched(fd);
  const before = asked(pid);
  reader.kill('SIGKILL');
  // Looked for twice, and found by nobody who can be seen.
  await until(() => asked(pid) >= before + 2);
  expect(isGone()).toBe(false);
  show();
  await until(isGone);
});

test('a reader that the first search missed is found by a later one', async () => {
  const path = join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  // Held by this process only, which the search leaves out.
  const readEnd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  const fd = fs.openSync(path, 'w');
  onTestFinished(() => fs.closeSync(fd));
  const searches = vi.spyOn(fs, 'readdirSync');
  onTestFinished(() => searches.mockRestore());
  const countSearches = () => searches.mock.calls.filter(([directory]) => directory === '/proc').length;
  const isFound = watchFinding();
  let isGone = false;
  watchReader(fd, () => {
    isGone = true;
  });
  await until(() => countSearches() >= 2);
  expect(isFound()).toBe(false);
  const reader = spawn('sleep', ['600'], { stdio: [readEnd, 'ignore', 'ignore'] });
  onTestFinished(() => void reader.kill('SIGKILL'));
  fs.closeSync(readEnd);
  await until(isFound);
  expect(isGone).toBe(false);
  reader.kill('SIGKILL');
  await until(() => isGone);
});
