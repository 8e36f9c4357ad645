// Runs ripgrep and passes on its output line by line.
import { Fault, getErrorMessage, LineSplitter } from '../base/index.ts';
import type { Ports, RunningProcess } from '../contracts/index.ts';
import { waitAtMost } from '../support/wait-at-most.ts';
import { throwIfAborted } from './result.ts';

/** Longer lines are skipped to bound memory. Minified files have lines of several megabytes. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
const MAX_STDERR_CHARACTERS = 4 * 1024;
const KILL_GRACE_MS = 200;

/**
 * Arguments of every search: include hidden files, respect `.gitignore` outside of repositories too, skip `.git`, and sort
 * by path so that the order is deterministic.
 */
export function buildSearchArguments(realPath: string): string[] {
  const base = ['--no-config', '--no-messages', '--hidden', '--no-require-git', '--sort=path', '--path-separator=/'];
  // Search .git only if the path is inside it.
  return /[\\/]\.git([\\/]|$)/.test(realPath) ? base : [...base, '--glob=!.git'];
}

export interface RipgrepRequest {
  readonly ports: Ports;
  readonly signal: AbortSignal;
  readonly cwd: string;
  readonly args: readonly string[];
  /** Called for each line of output. Returns `true` to stop the search. */
  onLine(line: string): boolean;
}

export interface RipgrepResult {
  /** Lines that were too long or not UTF-8. */
  skippedLines: number;
  /** stderr of a failed search. */
  errorText: string | undefined;
}

export async function runRipgrep({ ports, signal, cwd, args, onLine }: RipgrepRequest): Promise<RipgrepResult> {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  const stopController = new AbortController();
  const result = { skippedLines: 0, errorText: '' };
  const processLines = (lines: ReturnType<LineSplitter['push']>) => {
    for (const line of lines) {
      if (stopController.signal.aborted) return;
      if ('problem' in line) result.skippedLines += 1;
      else if (onLine(line.text)) stopController.abort();
    }
  };
  const child = await startRipgrep(ports, cwd, args, (chunk, stream) => {
    if (stream === 'stdout') processLines(splitter.push(chunk));
    else if (result.errorText.length < MAX_STDERR_CHARACTERS) result.errorText += Buffer.from(chunk).toString('utf8');
  });
  const exit = await waitForExitOrStop(child, ports, AbortSignal.any([signal, stopController.signal]));
  throwIfAborted(signal);
  processLines(splitter.end());
  return {
    skippedLines: result.skippedLines,
    errorText: exit === 2 ? result.errorText.trim() || undefined : undefined,
  };
}

async function startRipgrep(
  ports: Ports,
  cwd: string,
  args: readonly string[],
  onOutput: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void,
): Promise<RunningProcess> {
  try {
    // Loaded lazily: the module searches for its binary when it is loaded.
    const { rgPath } = await import('@vscode/ripgrep');
    return await ports.processes.spawn({ command: rgPath, args, cwd, env: ports.toolEnv, onOutput });
  } catch (cause) {
    throw new Fault('tool_failed', `ripgrep cannot be started: ${getErrorMessage(cause)}`, { cause });
  }
}

/** Returns the exit code, or `undefined` when the process was stopped. */
async function waitForExitOrStop(
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
  await waitAtMost(clock, KILL_GRACE_MS, child.finished);
  return undefined;
}
