// Creates named pipes for hosts with real pipes, because `spawn` of Node creates sockets. They are opened without blocking.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { createTemporaryDirectory } from './temporary-directory.ts';

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

export interface Pipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** File descriptors for the child process. Close them after spawn. */
  readonly childStdin: number;
  readonly childStdout: number;
  closeChildSide(): void;
}

export function openPipes(): Pipes {
  const directory = createTemporaryDirectory();
  const [input, output] = [join(directory, 'in'), join(directory, 'out')];
  execFileSync('mkfifo', [input, output]);
  // The order matters: opening one end blocks until the other end is open.
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
