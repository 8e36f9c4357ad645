// First floor, tools: runs ripgrep and hands over its lines. Knows neither patterns nor how results are shown.
import { Fault, LineSplitter, messageOf } from '../base/index.ts';
import type { Ports, RunningProcess } from '../contracts/index.ts';
import { stopIfAborted } from './result.ts';

/** Minified files have lines of megabytes; longer ones are left out rather than held. */
export const LONGEST_LINE = 8 * 1024 * 1024;
const MOST_COMPLAINTS = 4 * 1024;
const KILL_GRACE_MS = 200;

/**
 * What every search shares: hidden files, `.gitignore` also outside of repositories, never `.git` itself, and an order
 * that does not depend on the machine.
 */
export function searchArguments(realPath: string): string[] {
  const base = ['--no-config', '--no-messages', '--hidden', '--no-require-git', '--sort=path', '--path-separator=/'];
  // Who looks inside .git on purpose may.
  return /[\\/]\.git([\\/]|$)/.test(realPath) ? base : [...base, '--glob=!.git'];
}

export interface Search {
  readonly ports: Ports;
  readonly signal: AbortSignal;
  readonly cwd: string;
  readonly args: readonly string[];
  /** One line of output. `true` when enough was seen. */
  onLine(line: string): boolean;
}

export interface SearchEnd {
  /** Lines that were too long or no UTF-8. */
  lost: number;
  /** What ripgrep complained about when it could not do what was asked. */
  complaint: string | undefined;
}

export async function search({ ports, signal, cwd, args, onLine }: Search): Promise<SearchEnd> {
  const splitter = new LineSplitter(LONGEST_LINE);
  const enough = new AbortController();
  const end = { lost: 0, complaint: '' };
  const take = (lines: ReturnType<LineSplitter['push']>) => {
    for (const line of lines) {
      if (enough.signal.aborted) return;
      if ('problem' in line) end.lost += 1;
      else if (onLine(line.text)) enough.abort();
    }
  };
  const child = await startRipgrep(ports, cwd, args, (chunk, stream) => {
    if (stream === 'stdout') take(splitter.push(chunk));
    else if (end.complaint.length < MOST_COMPLAINTS) end.complaint += Buffer.from(chunk).toString('utf8');
  });
  const exit = await exitOrStop(child, ports, AbortSignal.any([signal, enough.signal]));
  stopIfAborted(signal);
  take(splitter.end());
  return { lost: end.lost, complaint: exit === 2 ? end.complaint.trim() || undefined : undefined };
}

async function startRipgrep(
  ports: Ports,
  cwd: string,
  args: readonly string[],
  onOutput: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void,
): Promise<RunningProcess> {
  try {
    // Loaded by the first search, not at start: it looks for its binary when it is.
    const { rgPath } = await import('@vscode/ripgrep');
    return await ports.processes.spawn({ command: rgPath, args, cwd, env: ports.toolEnv, onOutput });
  } catch (cause) {
    throw new Fault('tool_failed', `ripgrep cannot be started: ${messageOf(cause)}`, { cause });
  }
}

/** The exit code, or `undefined` when it had to be stopped. */
async function exitOrStop(
  child: RunningProcess,
  { clock }: Ports,
  stop: AbortSignal,
): Promise<number | null | undefined> {
  const stopped = new Promise<undefined>((resolve) => {
    if (stop.aborted) resolve(undefined);
    else stop.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const exit = await Promise.race([child.finished, stopped]);
  if (exit) return exit.code;
  child.kill();
  const patience = new AbortController();
  await Promise.race([child.finished, clock.sleep(KILL_GRACE_MS, patience.signal)]);
  patience.abort();
  return undefined;
}
