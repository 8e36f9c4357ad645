// Transports, stdio: keeps stdout for frames. Whatever else is written there, by whomever, lands on stderr.
import { separateDescriptors } from './stdio-guard-fd.ts';
import { redirectForeignCode, redirectOwnCode } from './stdio-guard-js.ts';
import { type FrameSink, openSink } from './stdio-sink.ts';

let sink: FrameSink | undefined;
let isRedirected = false;
let isForeignCodeNear = false;

/** The process has one stdout, so this happens once; later calls give the same sink. */
export function guardStdout(): FrameSink {
  sink ??= takeStdout();
  return sink;
}

function takeStdout(): FrameSink {
  const { frames, descriptorOne } = separateDescriptors();
  const opened = openSink(frames);
  if (descriptorOne !== 'stderr') {
    redirectOwnCode();
    isRedirected = true;
    if (isForeignCodeNear) redirectForeignCode();
  }
  return opened;
}

/** Closes the routes that only code of others takes. To be called before any of it runs, or a child is started. */
export function guardForeignCode(): void {
  if (isRedirected && !isForeignCodeNear) redirectForeignCode();
  isForeignCodeNear = true;
}
