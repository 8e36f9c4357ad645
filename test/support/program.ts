// Starts the bundled program as a host does, exchanges frames with it, and kills it when the test ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { inject, onTestFinished } from 'vitest';
import { withDeadline } from './deadline.ts';
import { FrameCollector, type FrameMatcher, type WireFrame } from './frame-collector.ts';
import { openPipes } from './pipes.ts';
import { createTemporaryDirectory, type OnEnd } from './temporary-directory.ts';

/** The program must not ask the metadata service of a cloud machine for credentials. */
export const NO_METADATA = { AWS_EC2_METADATA_DISABLED: 'true', METADATA_SERVER_DETECTION: 'none' };

/** Directories of a program. Several programs of a test may share them. */
export interface ProgramDirectories {
  /** The user directory. */
  readonly home: string;
  readonly cwd: string;
}

export interface ProgramOptions {
  readonly directories?: ProgramDirectories;
  readonly env?: Readonly<Record<string, string>>;
  /** The type of stdin and stdout: hosts on Node use sockets, most others pipes. */
  readonly streams?: 'socket' | 'pipe';
  /** Another path of the program. */
  readonly program?: string;
  /** The runtime of the program. Default: the Node of the tests. */
  readonly runtime?: string;
  /** When the program is killed. Default: when the test ends. */
  readonly onEnd?: OnEnd;
}

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program extends ProgramDirectories {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Every frame so far. */
  readonly frames: readonly WireFrame[];
  send(...frames: readonly object[]): void;
  /** The next frame that matches, after the last frame that was found. */
  nextFrame(frameMatcher: FrameMatcher): Promise<WireFrame>;
  /** Sends a call and returns its reply. */
  call(call: { type: string } & Record<string, unknown>): Promise<WireFrame>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended and all of its output has been read. */
  readonly exited: Promise<ProgramExit>;
}

export function createDirectories(onEnd?: OnEnd): ProgramDirectories {
  return { home: createTemporaryDirectory(onEnd), cwd: createTemporaryDirectory(onEnd) };
}

/** The program in RPC mode. */
export function startRpc(args: readonly string[] = [], options: ProgramOptions = {}): Program {
  return startProgram(['--mode', 'rpc', ...args], options);
}

export function startProgram(args: readonly string[], options: ProgramOptions = {}): Program {
  const { onEnd = onTestFinished, directories = createDirectories(onEnd) } = options;
  const { child, stdin, stdout, stderr } = spawnProgram(
    [options.program ?? inject('program'), ...args],
    directories,
    options,
  );
  // Ignore EPIPE when the program has ended.
  stdin.on('error', () => {});
  const inbox = new FrameCollector();
  const errors: Buffer[] = [];
  stdout.on('data', (chunk: Buffer) => inbox.push(chunk));
  stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const stderrText = () => Buffer.concat(errors).toString('utf8');
  const ended = waitForExit(child, [stdout, stderr]).then((end) => {
    inbox.close(`it ended with ${end.code ?? end.signal}; stderr: ${stderrText()}`);
    return { ...end, stdout: inbox.text, stderr: stderrText() };
  });
  onEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const send = (...frames: readonly object[]) =>
    void stdin.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  let calls = 0;
  return {
    ...directories,
    pid: child.pid as number,
    stdin,
    stdout,
    stderr,
    frames: inbox.frames,
    send,
    nextFrame: (wanted) => inbox.next(wanted),
    async call(call) {
      calls += 1;
      const id = `ask-${calls}`;
      send({ id, ...call });
      return inbox.next({ type: 'response', id });
    },
    kill: (signal) => void child.kill(signal),
    get exited() {
      return withDeadline(ended, `the end of: parley ${args.join(' ')}`, () => `stderr: ${stderrText()}`);
    },
  };
}

/** Runs a program until it exits. `input` is the whole of stdin. */
export async function runProgram(
  args: readonly string[],
  input = '',
  options: ProgramOptions = {},
): Promise<ProgramExit> {
  const program = startProgram(args, options);
  program.stdin.end(input);
  return program.exited;
}

/** A variable of `/proc/PID/status`, in bytes. */
export function readMemory(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const kB = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kB) * 1024;
}

function spawnProgram(args: readonly string[], programDirectories: ProgramDirectories, options: ProgramOptions) {
  const pipes = options.streams === 'pipe' ? openPipes() : undefined;
  const child = spawn(options.runtime ?? process.execPath, args, {
    cwd: programDirectories.cwd,
    // No variables of the machine that runs the test, such as API keys and NODE_OPTIONS.
    env: {
      PATH: process.env.PATH,
      HOME: programDirectories.home,
      PARLEY_DIR: programDirectories.home,
      ...NO_METADATA,
      ...options.env,
    },
    stdio: [pipes?.childStdin ?? 'pipe', pipes?.childStdout ?? 'pipe', 'pipe'],
  });
  pipes?.closeChildSide();
  const stdin = pipes?.stdin ?? (child.stdin as Writable);
  const stdout = pipes?.stdout ?? (child.stdout as Readable);
  return { child, stdin, stdout, stderr: child.stderr as Readable };
}

async function waitForExit(child: ChildProcess, streams: readonly Readable[]) {
  const read = streams.map((stream) => (stream.closed ? undefined : once(stream, 'close')));
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  await Promise.all(read);
  return { code, signal };
}
