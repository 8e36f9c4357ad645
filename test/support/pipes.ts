// For tests of hosts that give real pipes, which Node's `spawn` does not: named ones, opened so that nobody waits.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { temporaryDirectory } from './temporary.ts';

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

export interface Pipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Descriptors to give to the child, and then to close. */
  readonly childStdin: number;
  readonly childStdout: number;
  closeChildSide(): void;
}

export function openPipes(): Pipes {
  const directory = temporaryDirectory();
  const [input, output] = [join(directory, 'in'), join(directory, 'out')];
  execFileSync('mkfifo', [input, output]);
  // In this order: an end that has its partner opens at once.
  const stdin = openSync(input, O_RDWR);
  const childStdin = openSync(input, O_RDONLY);
  const stdout = openSync(output, O_RDONLY | O_NONBLOCK);
  const childStdout = openSync(output, O_WRONLY);
  return {
    stdin: new Socket({ fd: stdin, readable: false, writable: true }),
    stdout: new Socket({ fd: stdout, readable: true, writable: false }),
    childStdin,
    childStdout,
    closeChildSide() {
      closeSync(childStdin);
      closeSync(childStdout);
    },
  };
}
