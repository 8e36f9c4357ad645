// The hall, client: an agent as a child process. Node and Bun only; what they alone have is loaded when it is called for.
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { deferred, Fault, messageOf } from '../base/index.ts';
import { linesOf, tailOf } from './child-output.ts';
import { type Client, type ClientOptions, createClient } from './client.ts';
import type { ClientTransport, Farewell } from './transport.ts';

export interface SpawnOptions extends ClientOptions {
  /** The program; by default this package's own. */
  cliPath?: string | undefined;
  /** What runs the program; by default what runs this one. */
  runtime?: string | undefined;
  /** Further arguments, after `--mode rpc`. */
  args?: readonly string[] | undefined;
  /** Where the agent works; by default where this process does. */
  cwd?: string | undefined;
  /** Laid over this process's environment; `undefined` takes a variable away. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** In a session of its own, which the keys of a terminal do not interrupt, and which has none to read from. */
  detached?: boolean | undefined;
  /** Hears what the agent writes to stderr, as it comes. */
  onStderr?: ((text: string) => void) | undefined;
}

export interface SpawnedAgent extends Client {
  readonly pid: number;
  /** Ends the process without asking; `close` asks. */
  kill(signal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts `parley --mode rpc`. Resolves when the process runs: calls may be made at once and are answered when it is ready. */
export async function spawnAgent(options: SpawnOptions = {}): Promise<SpawnedAgent> {
  const child = await start(options);
  const client = createClient(overChild(child, options.onStderr ?? (() => {})), options);
  return Object.assign(client, {
    pid: child.pid as number,
    kill: (signal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL') => void child.kill(signal),
  });
}

async function start(options: SpawnOptions): Promise<Child> {
  // Bundlers for browsers must leave this alone; it is never reached there.
  const { spawn } = await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:child_process');
  const { cliPath = await ownProgram(), runtime = process.execPath, args = [], cwd, env, detached = false } = options;
  const child = spawn(runtime, [cliPath, '--mode', 'rpc', ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached,
    windowsHide: true,
  });
  const started = deferred();
  child.once('spawn', started.resolve);
  // Stays: a later `error` says that a signal could not be delivered, and must not end the host.
  child.on('error', (problem) => {
    const place = cwd === undefined ? '' : ` in ${cwd}`;
    started.reject(new Fault('config', `Cannot start ${runtime}${place}: ${messageOf(problem)}`, { cause: problem }));
  });
  await started.promise;
  return child;
}

/** Beside the modules of the built package: dist/lib/client and dist/cli.js. */
async function ownProgram(): Promise<string> {
  const { fileURLToPath } = await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:url');
  // In two steps, or bundlers would take the program for a file that the page needs.
  const here = import.meta.url;
  return fileURLToPath(new URL('../../cli.js', here));
}

function overChild(child: Child, onStderr: (text: string) => void): ClientTransport {
  const exit = deferred<Pick<Farewell, 'code' | 'signal'>>();
  child.once('exit', (code, signal) => exit.resolve({ code, signal }));
  const stderr = tailOf(child.stderr, onStderr);
  // Whoever writes to a dead agent learns of it from `closed`.
  child.stdin.on('error', () => {});
  return {
    lines: linesOf(child.stdout, exit.promise),
    write(line) {
      if (child.stdin.writable) child.stdin.write(line);
    },
    end: () => void child.stdin.end(),
    closed: exit.promise.then(async (how) => {
      await stderr.drained();
      return { ...how, stderr: stderr.text() };
    }),
  };
}
