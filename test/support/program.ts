// For tests of the whole program: starts the bundle as a host would, speaks with it in frames, and ends it with the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { inject, onTestFinished } from 'vitest';
import { within } from './deadline.ts';
import { FrameInbox, type Wanted, type WireFrame } from './frame-inbox.ts';
import { openPipes } from './pipes.ts';
import { temporaryDirectory } from './temporary.ts';

/** Directories that programs of one test may share. */
export interface Place {
  /** The user's own directory. */
  readonly home: string;
  readonly cwd: string;
}

export interface ProgramOptions {
  readonly place?: Place;
  readonly env?: Readonly<Record<string, string>>;
  /** What stdin and stdout are: hosts on Node give sockets, most others pipes. */
  readonly streams?: 'socket' | 'pipe';
  /** Another path to the same program. */
  readonly program?: string;
  /** What runs the program; the Node of the tests when absent. */
  readonly runtime?: string;
}

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program extends Place {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Every frame so far. */
  readonly frames: readonly WireFrame[];
  send(...frames: readonly object[]): void;
  /** The next frame that fits, after the one that was found last. */
  frame(wanted: Wanted): Promise<WireFrame>;
  /** Sends a call and awaits its reply. */
  ask(call: { type: string } & Record<string, unknown>): Promise<WireFrame>;
  kill(signal: NodeJS.Signals): void;
  /** When the process has ended; what it had written is read by then. */
  readonly ended: Promise<Outcome>;
}

export function newPlace(): Place {
  return { home: temporaryDirectory(), cwd: temporaryDirectory() };
}

/** The program in RPC mode. */
export function startRpc(args: readonly string[] = [], options: ProgramOptions = {}): Program {
  return startProgram(['--mode', 'rpc', ...args], options);
}

export function startProgram(args: readonly string[], options: ProgramOptions = {}): Program {
  const place = options.place ?? newPlace();
  const { child, stdin, stdout, stderr } = spawnWith([options.program ?? inject('program'), ...args], place, options);
  // Writing to a program that has ended is not what any test is about.
  stdin.on('error', () => {});
  const inbox = new FrameInbox();
  const errors: Buffer[] = [];
  stdout.on('data', (chunk: Buffer) => inbox.take(chunk));
  stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const told = () => Buffer.concat(errors).toString('utf8');
  const ended = outcomeOf(child, [stdout, stderr]).then((end) => {
    inbox.close(`it ended with ${end.code ?? end.signal}; stderr: ${told()}`);
    return { ...end, stdout: inbox.text, stderr: told() };
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const send = (...frames: readonly object[]) =>
    void stdin.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  let calls = 0;
  return {
    ...place,
    pid: child.pid as number,
    stdin,
    stdout,
    stderr,
    frames: inbox.frames,
    send,
    frame: (wanted) => inbox.next(wanted),
    async ask(call) {
      calls += 1;
      const id = `ask-${calls}`;
      send({ id, ...call });
      return inbox.next({ type: 'response', id });
    },
    kill: (signal) => void child.kill(signal),
    get ended() {
      return within(ended, `the end of: parley ${args.join(' ')}`, () => `stderr: ${told()}`);
    },
  };
}

/** For command lines that need nothing on stdin: the whole life of a program. */
export async function runProgram(args: readonly string[], input = '', options: ProgramOptions = {}): Promise<Outcome> {
  const program = startProgram(args, options);
  program.stdin.end(input);
  return program.ended;
}

/** A variable of `/proc/PID/status`, in bytes. */
export function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const kB = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kB) * 1024;
}

function spawnWith(args: readonly string[], place: Place, options: ProgramOptions) {
  const pipes = options.streams === 'pipe' ? openPipes() : undefined;
  const child = spawn(options.runtime ?? process.execPath, args, {
    cwd: place.cwd,
    // Nothing of the machine that runs the test: neither keys nor Node options.
    env: { PATH: process.env.PATH, HOME: place.home, PARLEY_DIR: place.home, ...options.env },
    stdio: [pipes?.childStdin ?? 'pipe', pipes?.childStdout ?? 'pipe', 'pipe'],
  });
  pipes?.closeChildSide();
  const stdin = pipes?.stdin ?? (child.stdin as Writable);
  const stdout = pipes?.stdout ?? (child.stdout as Readable);
  return { child, stdin, stdout, stderr: child.stderr as Readable };
}

async function outcomeOf(child: ChildProcess, streams: readonly Readable[]) {
  const read = streams.map((stream) => (stream.closed ? undefined : once(stream, 'close')));
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  await Promise.all(read);
  return { code, signal };
}
