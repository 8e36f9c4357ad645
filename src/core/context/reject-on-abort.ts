// Stops waiting for a promise when a signal aborts.
import { Fault } from '../../base/index.ts';

/** The work goes on: its result is used by others. */
export async function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(new Fault('aborted', 'Request was aborted'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true, signal: stop.signal });
  });
  return Promise.race([work, aborted]).finally(() => stop.abort());
}
