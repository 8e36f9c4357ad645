// Transports, stdio: keeps stdout for frames. Whatever else is written there, by whomever, lands on stderr.
import { separateDescriptors } from './stdio-guard-fd.ts';
import { redirectJavaScript } from './stdio-guard-js.ts';
import { type FrameSink, openSink } from './stdio-sink.ts';

let sink: FrameSink | undefined;

/** The process has one stdout, so this happens once; later calls give the same sink. */
export function guardStdout(): FrameSink {
  sink ??= takeStdout();
  return sink;
}

function takeStdout(): FrameSink {
  const { frames, descriptorOne } = separateDescriptors();
  const opened = openSink(frames);
  if (descriptorOne !== 'stderr') redirectJavaScript();
  return opened;
}
