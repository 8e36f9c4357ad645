// Reads information about processes from /proc. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import type { Processes, RunningProcess } from '../../src/contracts/ports.ts';

export interface Started extends RunningProcess {
  /** The output so far. */
  readonly written: { stdout: string; stderr: string };
}

/** Starts a shell script as a child process with a minimal environment. */
export async function shell(processes: Processes, script: string, ...args: string[]): Promise<Started> {
  const written = { stdout: '', stderr: '' };
  const running = await processes.spawn({
    command: '/bin/sh',
    args: ['-c', script, 'sh', ...args],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    onOutput(chunk, stream) {
      written[stream] += Buffer.from(chunk).toString('latin1');
    },
  });
  return Object.assign(running, { written });
}

/** The processes whose environment or command line contains the text. */
export function processesWith(text: string, where: 'environ' | 'cmdline'): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && (proc(Number(name), where)?.includes(text) ?? false))
    .map(Number);
}

/** The variables that a process was started with. */
export function environmentOf(pid: number): Record<string, string> {
  const pairs = (proc(pid, 'environ') ?? '').split('\0').map((pair) => pair.split(/=(.*)/s));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
}

/** A zombie counts as not alive. */
export function isAlive(pid: number): boolean {
  const stat = proc(pid, 'stat');
  return stat !== undefined && !/^\d+ \(.*\) [ZX]/s.test(stat);
}

export function numbers(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function proc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return undefined;
  }
}
