// Reserves stdout for frames: all other writes to stdout are redirected to stderr.
import { separateDescriptors } from './stdio-guard-fd.ts';
import { redirectForeignCode, redirectOwnCode } from './stdio-guard-js.ts';
import { createFrameSink, type FrameSink } from './stdio-sink.ts';

let sink: FrameSink | undefined;
let isRedirected = false;
let isForeignCodeGuarded = false;

/** The process has only one stdout: later calls return the same sink. */
export function guardStdout(): FrameSink {
  sink ??= reserveStdout();
  return sink;
}

function reserveStdout(): FrameSink {
  const { frameFd, stdoutTarget } = separateDescriptors();
  const frameSink = createFrameSink(frameFd);
  if (stdoutTarget !== 'stderr') {
    redirectOwnCode();
    isRedirected = true;
    if (isForeignCodeGuarded) redirectForeignCode();
  }
  return frameSink;
}

/** Also redirects child processes and workers. Must be called before extension code runs or a child process starts. */
export function guardForeignCode(): void {
  if (isRedirected && !isForeignCodeGuarded) redirectForeignCode();
  isForeignCodeGuarded = true;
}
