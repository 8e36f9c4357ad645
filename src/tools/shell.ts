// First floor, tools: runs one shell command for the model or the host, and always comes back. Knows no session.
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { Fault, messageOf } from '../base/index.ts';
import type { ExecuteShell, Ports, RunningProcess, ShellOutcome, ShellRequest } from '../contracts/index.ts';
import { type Captured, ShellCapture } from './shell-capture.ts';

/** How long a killed command may take to be gone. What escaped its group is not waited for. */
const KILL_GRACE_MS = 200;

export interface ShellSettings {
  readonly ports: Ports;
  readonly shellPath: string | undefined;
}

/** What the bash tool reads beyond the contract, to word its notices. */
export type ShellRun = ShellOutcome & Captured;

export function createRunShell({ ports, shellPath }: ShellSettings): (request: ShellRequest) => Promise<ShellRun> {
  return async (request) => {
    const { cwd, command, signal, artifacts, purpose } = request;
    const capture = new ShellCapture({ ports, artifacts, purpose, ...listeners(request) });
    if (signal.aborted) return outcome(await capture.finish(), 'aborted');
    const child = request.execute
      ? elsewhere(request.execute, ports, request, capture)
      : await start(ports, await knownShell(ports, shellPath), command, cwd, capture);
    const ending = await endOf(child, ports, request);
    return outcome(await capture.finish(), ending);
  };
}

function listeners(request: ShellRequest) {
  return { onUpdate: request.onUpdate?.bind(request), onOutput: request.onOutput?.bind(request) };
}

type Running = Pick<RunningProcess, 'finished' | 'kill'>;

type Ending = 'aborted' | 'timedOut' | { code: number | null; signal: string | null };

function outcome(captured: Captured, ending: Ending): ShellRun {
  if (typeof ending === 'string') return { ...captured, cancelled: true, timedOut: ending === 'timedOut' };
  return { ...captured, exitCode: exitCode(ending), cancelled: false, timedOut: false };
}

/** A shell that dies of a signal is reported as shells report their children: 128 and the signal's number. */
function exitCode({ code, signal }: { code: number | null; signal: string | null }): number {
  if (code !== null) return code;
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return 128 + (numbers[signal ?? ''] ?? 0);
}

async function start(
  ports: Ports,
  shell: string,
  command: string,
  cwd: string,
  capture: ShellCapture,
): Promise<RunningProcess> {
  try {
    return await ports.processes.spawn({
      command: shell,
      args: ['-c', command],
      cwd,
      env: ports.toolEnv,
      onOutput: (chunk, stream) => capture.take(chunk, stream),
    });
  } catch (cause) {
    shells.delete(ports);
    if ((await ports.files.info(cwd))?.kind !== 'directory') {
      throw new Fault('tool_failed', `Working directory does not exist: ${cwd}\nCannot execute bash commands.`);
    }
    if (cause instanceof Fault) throw cause;
    throw new Fault('tool_failed', `Cannot start ${shell}: ${messageOf(cause)}`, { cause });
  }
}

function elsewhere(
  execute: ExecuteShell,
  { toolEnv }: Ports,
  { command, cwd }: ShellRequest,
  capture: ShellCapture,
): Running {
  const stop = new AbortController();
  const onOutput = (chunk: Uint8Array) => capture.take(chunk, 'stdout');
  const work = execute({ command, cwd, env: toolEnv, signal: stop.signal, onOutput });
  const finished = work.then(
    ({ exitCode: code }) => ({ code, signal: null }),
    (cause: unknown) => {
      // Being stopped is what it was told; nobody waits for its code.
      if (stop.signal.aborted) return { code: null, signal: null };
      throw new Fault('tool_failed', `Whoever runs commands here failed: ${messageOf(cause)}`, { cause });
    },
  );
  return { finished, kill: () => stop.abort() };
}

/** Waits for the command, the timeout or the signal, whichever comes first. */
async function endOf(child: Running, { clock }: Ports, { signal, timeout }: ShellRequest): Promise<Ending> {
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
    const ending = await Promise.race([child.finished, stopped]);
    if (typeof ending === 'string') {
      child.kill();
      await Promise.race([child.finished, clock.sleep(KILL_GRACE_MS, settled.signal)]);
    }
    return ending;
  } finally {
    settled.abort();
  }
}

/** Looked for once, and again when it could not be started: every command of the model passes here. */
const shells = new WeakMap<Ports, { shellPath: string | undefined; found: string }>();

async function knownShell(ports: Ports, shellPath: string | undefined): Promise<string> {
  const known = shells.get(ports);
  if (known && known.shellPath === shellPath) return known.found;
  const found = await findShell(ports, shellPath);
  shells.set(ports, { shellPath, found });
  return found;
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
