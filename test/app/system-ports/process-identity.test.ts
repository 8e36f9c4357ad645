import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createProcessIdentity } from '../../../src/app/system-ports/process-identity.ts';
import { waitUntil } from '../../support/wait-until.ts';

const startTimeOf = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[19]);

async function startChild(): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); process.stdout.write("up")'], {
    stdio: 'pipe',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child as ChildProcess & { pid: number };
}

test('self has the pid, the start time and the host name of this process', async () => {
  const identity = createProcessIdentity();
  expect(identity.self).toEqual({ pid: process.pid, startTime: startTimeOf(process.pid), host: hostname() });
  expect(await identity.isAlive(process.pid, identity.self.startTime)).toBe(true);
  expect(await identity.isAlive(process.pid, undefined)).toBe(true);
});

test('a process is alive until it has ended, and a reused pid is another process', async () => {
  const identity = createProcessIdentity();
  const child = await startChild();
  const startTime = startTimeOf(child.pid);
  expect(await identity.isAlive(child.pid, startTime)).toBe(true);
  expect(await identity.isAlive(child.pid, startTime - 1)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await identity.isAlive(child.pid, startTime)).toBe(false);
  expect(await identity.isAlive(child.pid, undefined)).toBe(false);
});

test('a zombie is not alive', async () => {
  const identity = createProcessIdentity();
  // The shell starts a child, then execs a program that never reaps its children.
  const script = 'read line <&3 & echo $!; exec cat';
  const parent = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit', 'pipe'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout as Readable, 'data');
  const pid = Number(String(line));
  await waitUntil(() => readFileSync(`/proc/${parent.pid}/comm`, 'latin1') === 'cat\n');
  expect(await identity.isAlive(pid, undefined)).toBe(true);
  (parent.stdio[3] as Writable).end();
  await waitUntil(() => readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z '));
  expect(await identity.isAlive(pid, undefined)).toBe(false);
});

test('process 1 is alive, although it belongs to another user', async () => {
  expect(await createProcessIdentity().isAlive(1, undefined)).toBe(true);
});
