// Reads information about processes from /proc. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import type { Processes, RunningProcess } from '../../src/contracts/ports.ts';

export interface ShellProcess extends RunningProcess {
  /** The output so far. */
  readonly output: { stdout: string; stderr: string };
}

/** Starts a shell script as a child process with a minimal environment. */
export async function startShell(processes: Processes, script: string, ...args: string[]): Promise<ShellProcess> {
  const output = { stdout: '', stderr: '' };
  const running = await processes.spawn({
    command: '/bin/sh',
    args: ['-c', script, 'sh', ...args],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    onOutput(chunk, stream) {
      output[stream] += Buffer.from(chunk).toString('latin1');
    },
  });
  return Object.assign(running, { output });
}

/** The processes whose environment or command line contains the text. */
export function findProcesses(text: string, where: 'environ' | 'cmdline'): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && (readProcFile(Number(name), where)?.includes(text) ?? false))
    .map(Number);
}

/** The variables that a process was started with. */
export function readEnvironment(pid: number): Record<string, string> {
  const pairs = (readProcFile(pid, 'environ') ?? '').split('\0').map((pair) => pair.split(/=(.*)/s));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
}

/** A zombie counts as not alive. */
export function isAlive(pid: number): boolean {
  const stat = readProcFile(pid, 'stat');
  return stat !== undefined && !/^\d+ \(.*\) [ZX]/s.test(stat);
}

export function parseNumbers(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function readProcFile(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return undefined;
  }
}
