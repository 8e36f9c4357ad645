// Starts an agent as a child process. Works in Node and Bun only; their modules are loaded when an agent is spawned.
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { createDeferred, Fault, getErrorMessage } from '../base/index.ts';
import { captureTail, readLines } from './child-output.ts';
import { type Client, type ClientOptions, createClient } from './client.ts';
import type { ClientTransport, ExitInfo } from './client-transport.ts';

export interface SpawnOptions extends ClientOptions {
  /**
   * A command line that starts the agent, such as `ssh host parley --mode rpc`. Run by `shell`. The options `cliPath`, `runtime` and
   * `args` have no effect.
   */
  command?: string | undefined;
  /** The shell for `command`. Default: `/bin/sh`. */
  shell?: string | undefined;
  /** Path of the program. Default: the program of this package. */
  cliPath?: string | undefined;
  /** The runtime that executes the program. Default: the current one. */
  runtime?: string | undefined;
  /** Arguments after `--mode rpc`. */
  args?: readonly string[] | undefined;
  /** Working directory of the agent. Default: the current one. */
  cwd?: string | undefined;
  /** Merged over the environment of this process. `undefined` removes a variable. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Starts the agent in its own process session: no terminal, so Ctrl+C does not interrupt it. */
  detached?: boolean | undefined;
  /** Receives the stderr output of the agent. */
  onStderr?: ((text: string) => void) | undefined;
}

export interface SpawnedAgent extends Client {
  readonly pid: number;
  /** Sends a signal. Use `close` to let the agent finish its work. */
  kill(signal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void;
}

type ChildProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts `parley --mode rpc`, or the command. Resolves when the process runs. Calls may be made immediately. */
export async function spawnAgent(options: SpawnOptions = {}): Promise<SpawnedAgent> {
  const child = await startProcess(options);
  const client = createClient(createChildTransport(child, options.onStderr ?? (() => {})), options);
  return Object.assign(client, {
    pid: child.pid as number,
    kill: (signal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL') => void child.kill(signal),
  });
}

async function startProcess(options: SpawnOptions): Promise<ChildProcess> {
  // The comments stop bundlers from resolving this import for browsers, where it is never reached.
  const { spawn } = await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:child_process');
  const { cwd, env, detached = false } = options;
  const [runtime, args] = await buildCommand(options);
  const child = spawn(runtime, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached,
    windowsHide: true,
  });
  const started = createDeferred();
  child.once('spawn', started.resolve);
  // Not removed after the start: a later `error` event (a signal could not be delivered) would otherwise crash the host.
  child.on('error', (problem) => {
    const location = cwd === undefined ? '' : ` in ${cwd}`;
    started.reject(
      new Fault('config', `Cannot start ${runtime}${location}: ${getErrorMessage(problem)}`, { cause: problem }),
    );
  });
  await started.promise;
  return child;
}

async function buildCommand({
  command,
  shell = '/bin/sh',
  cliPath,
  runtime = process.execPath,
  args = [],
}: SpawnOptions): Promise<[program: string, args: string[]]> {
  if (command !== undefined) return [shell, ['-c', command]];
  return [runtime, [cliPath ?? (await resolveCliPath()), '--mode', 'rpc', ...args]];
}

/** Relative to this module in the built package: dist/lib/client/… and dist/cli.js. */
async function resolveCliPath(): Promise<string> {
  const { fileURLToPath } = await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:url');
  // A separate variable, because bundlers would otherwise include cli.js as an asset.
  const moduleUrl = import.meta.url;
  return fileURLToPath(new URL('../../cli.js', moduleUrl));
}

function createChildTransport(child: ChildProcess, onStderr: (text: string) => void): ClientTransport {
  const exit = createDeferred<Pick<ExitInfo, 'code' | 'signal'>>();
  child.once('exit', (code, signal) => exit.resolve({ code, signal }));
  const stderr = captureTail(child.stderr, onStderr);
  // A write error after the agent has exited is ignored; `closed` reports the exit.
  child.stdin.on('error', () => {});
  return {
    lines: readLines(child.stdout, exit.promise),
    write(line) {
      if (child.stdin.writable) child.stdin.write(line);
    },
    end: () => void child.stdin.end(),
    closed: exit.promise.then(async (exitStatus) => {
      await stderr.drain();
      return { ...exitStatus, stderr: stderr.text() };
    }),
  };
}
