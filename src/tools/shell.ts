// Runs a shell command for the model or the host. Always returns, even if killed processes do not exit.
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { Fault, getErrorMessage } from '../base/index.ts';
import type {
  ExecuteShell,
  Ports,
  ProcessSandbox,
  RunningProcess,
  SandboxedCommand,
  ShellRequest,
  ShellResult,
} from '../contracts/index.ts';
import { waitAtMost } from '../support/wait-at-most.ts';
import { type CapturedOutput, ShellCapture } from './shell-capture.ts';

/** How long to wait for a killed command. Processes that left its process group are not waited for. */
const KILL_GRACE_MS = 200;

export interface ShellOptions {
  readonly ports: Ports;
  readonly shellPath: string | undefined;
  /** `undefined` when commands in this directory run without a sandbox. */
  getSandbox?(cwd: string): Promise<ProcessSandbox | undefined>;
}

/** Adds what the bash tool needs for its notices. `isStartMissing`: see `ExecuteShell`. `sandboxCause`: how the sandbox may be the reason of a failure. */
export type CapturedShellResult = ShellResult & CapturedOutput & { isStartMissing?: boolean; sandboxCause?: string };

export type RunCapturedShell = (request: ShellRequest) => Promise<CapturedShellResult>;

export function createRunShell({ ports, shellPath, getSandbox }: ShellOptions): RunCapturedShell {
  return async (request) => {
    const { cwd, signal, artifacts, artifactName } = request;
    const sandbox = await getSandbox?.(cwd);
    if (sandbox && request.execute) throw createExecutorFault(sandbox);
    const capture = new ShellCapture({ ports, artifacts, purpose: artifactName, ...bindListeners(request) });
    if (signal.aborted) return createShellResult(await capture.finish(), 'aborted');
    const child = request.execute
      ? startCustomExecutor(request.execute, ports, request, capture)
      : await startShell(ports, await getShell(ports, shellPath), request, capture, sandbox);
    const commandEnd = await waitForEnd(child, ports, request);
    const result = createShellResult(await capture.finish(), commandEnd);
    const sandboxCause = child.explainFailure?.(result);
    return sandboxCause === undefined ? result : { ...result, sandboxCause };
  };
}

function bindListeners(request: ShellRequest) {
  return { onUpdate: request.onUpdate?.bind(request), onOutput: request.onOutput?.bind(request) };
}

interface RunningCommand extends Pick<RunningProcess, 'kill'> {
  readonly finished: Promise<{ code: number | null; signal: string | null; isStartMissing?: boolean }>;
  readonly explainFailure?: SandboxedCommand['explainFailure'];
}

type CommandEnd = 'aborted' | 'timedOut' | Awaited<RunningCommand['finished']>;

function createShellResult(capturedOutput: CapturedOutput, commandEnd: CommandEnd): CapturedShellResult {
  if (typeof commandEnd === 'string')
    return { ...capturedOutput, cancelled: true, timedOut: commandEnd === 'timedOut' };
  const { isStartMissing } = commandEnd;
  const exitCode = toExitCode(commandEnd);
  return { ...capturedOutput, exitCode, cancelled: false, timedOut: false, ...(isStartMissing && { isStartMissing }) };
}

/** For a signal, 128 plus the signal number, as shells do. */
function toExitCode({ code, signal }: { code: number | null; signal: string | null }): number {
  if (code !== null) return code;
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return 128 + (numbers[signal ?? ''] ?? 0);
}

async function startShell(
  ports: Ports,
  shell: string,
  { command, cwd }: ShellRequest,
  capture: ShellCapture,
  sandbox: ProcessSandbox | undefined,
): Promise<RunningCommand> {
  const request = { command: shell, args: ['-c', command], cwd, env: ports.toolEnv };
  const onOutput = (chunk: Uint8Array, stream: 'stdout' | 'stderr') => capture.push(chunk, stream);
  const sandboxed = await sandbox?.wrap(request);
  try {
    const child = await ports.processes.spawn({ ...(sandboxed ?? request), onOutput });
    if (!sandboxed) return child;
    const { release, explainFailure } = sandboxed;
    return { finished: child.finished.finally(release), kill: () => child.kill(), explainFailure };
  } catch (cause) {
    await sandboxed?.release();
    shellCache.delete(ports);
    if ((await ports.files.info(cwd))?.kind !== 'directory') {
      throw new Fault('tool_failed', `Working directory does not exist: ${cwd}\nCannot execute bash commands.`);
    }
    if (cause instanceof Fault) throw cause;
    throw new Fault('tool_failed', `Cannot start ${shell}: ${getErrorMessage(cause)}`, { cause });
  }
}

/** The code of an extension decides how the command is run, so it would not be in the sandbox. */
function createExecutorFault({ description }: ProcessSandbox): Fault {
  const remedy = 'Use --sandbox off, or remove the extension.';
  return new Fault(
    'refused',
    `The command was not run: an extension replaces the shell runner, which cannot be in the sandbox (${description}). ${remedy}`,
  );
}

function startCustomExecutor(
  execute: ExecuteShell,
  { toolEnv }: Ports,
  { command, cwd }: ShellRequest,
  capture: ShellCapture,
): RunningCommand {
  const stop = new AbortController();
  const onOutput = (chunk: Uint8Array) => capture.push(chunk, 'stdout');
  const work = execute({ command, cwd, env: toolEnv, signal: stop.signal, onOutput });
  const finished = work.then(
    ({ exitCode: code, signal = null, isStartMissing = false }) => ({ code, signal, isStartMissing }),
    (cause: unknown) => {
      // Errors after an abort are expected, and the exit code is not used.
      if (stop.signal.aborted) return { code: null, signal: null };
      throw new Fault('tool_failed', `The shell runner of an extension failed: ${getErrorMessage(cause)}`, { cause });
    },
  );
  return { finished, kill: () => stop.abort() };
}

/** Waits for the command, the timeout or the signal, whichever comes first. */
async function waitForEnd(
  child: RunningCommand,
  { clock }: Ports,
  { signal, timeout }: ShellRequest,
): Promise<CommandEnd> {
  const settled = new AbortController();
  const stopped = new Promise<'aborted' | 'timedOut'>((resolve) => {
    const abort = () => resolve('aborted');
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true, signal: settled.signal });
    if (timeout === undefined || timeout <= 0) return;
    const cancel = clock.after(timeout * 1000, () => resolve('timedOut'));
    settled.signal.addEventListener('abort', cancel);
  });
  try {
    const commandEnd = await Promise.race([child.finished, stopped]);
    if (typeof commandEnd === 'string') {
      child.kill();
      await waitAtMost(clock, KILL_GRACE_MS, child.finished);
    }
    return commandEnd;
  } finally {
    settled.abort();
  }
}

/** The shell is searched once, and again after it could not be started. */
const shellCache = new WeakMap<Ports, { shellPath: string | undefined; resolvedPath: string }>();

export async function getShell(ports: Ports, shellPath: string | undefined): Promise<string> {
  const cached = shellCache.get(ports);
  if (cached && cached.shellPath === shellPath) return cached.resolvedPath;
  const resolvedPath = await findShell(ports, shellPath);
  shellCache.set(ports, { shellPath, resolvedPath });
  return resolvedPath;
}

async function findShell({ files, toolEnv }: Ports, shellPath: string | undefined): Promise<string> {
  const isFile = async (path: string) => (await files.info(path).catch(() => undefined))?.kind === 'file';
  if (shellPath !== undefined) {
    if (await isFile(shellPath)) return shellPath;
    throw new Fault('config', `Shell not found: ${shellPath}. Correct shellPath in the settings`);
  }
  if (await isFile('/bin/bash')) return '/bin/bash';
  for (const directory of (toolEnv.PATH ?? '').split(delimiter)) {
    const candidate = join(directory, 'bash');
    if (directory !== '' && (await isFile(candidate))) return candidate;
  }
  return 'sh';
}
