// The hall, client: calls that are over when the agent has come to rest. Knows two events, and `isSettled` and `isStreaming` of the state.
import type { Deferred } from '../base/index.ts';
import type { AgentEvent, AgentMessage } from '../protocol/index.ts';
import type { CallParams, CallResult } from './call.ts';
import type { Connection } from './connection.ts';

export interface WaitOptions {
  /** Rejects with the signal's reason. `AbortSignal.timeout(ms)` is a signal. */
  signal?: AbortSignal | undefined;
}

export interface PromptOptions extends Omit<CallParams<'prompt'>, 'message'> {
  /** Aborts the run, and rejects with the signal's reason without waiting for its end. */
  signal?: AbortSignal | undefined;
}

/** Everything that the runs from this prompt on made, once nothing automatic remains. */
export function promptAndWait(
  connection: Connection,
  message: string,
  { signal, ...params }: PromptOptions = {},
): Promise<AgentMessage[]> {
  return connection.wait('the prompt was done', (outcome) => {
    signal?.throwIfAborted();
    const made: AgentMessage[] = [];
    // Events before the acceptance belong to what ran before.
    let accepted = false;
    const accept = () => {
      accepted = true;
    };
    const call = { message, ...params };
    const id = connection.calls.start('prompt', call, { done: accept, failed: outcome.reject });
    return together(
      rejectOn(signal, outcome, () => connection.calls.start('abort', {}, { done: () => {}, failed: () => {} })),
      connection.failures.add((error) => {
        if (error.id === id) outcome.reject(error);
      }),
      connection.events.add((event) => {
        if (!accepted) return;
        if (event.type === 'agent_end') made.push(...event.messages);
        if (event.type === 'agent_settled') outcome.resolve(made);
      }),
    );
  });
}

export function waitForIdle(connection: Connection, { signal }: WaitOptions = {}): Promise<void> {
  return connection.wait('it came to rest', (outcome) => {
    signal?.throwIfAborted();
    let running = false;
    connection.calls.start(
      'get_state',
      {},
      {
        done(state) {
          const { isStreaming, isSettled } = state as Partial<CallResult<'get_state'>>;
          // Programs of the same family may not have the newer field.
          running = isSettled === undefined ? isStreaming === true : !isSettled;
          if (!running) outcome.resolve();
        },
        failed: outcome.reject,
      },
    );
    return together(
      rejectOn(signal, outcome),
      connection.events.add((event) => {
        if (running && event.type === 'agent_settled') outcome.resolve();
      }),
    );
  });
}

/** The events from now on, up to the next `agent_settled`, which is the last of them. */
export function collectEvents(connection: Connection, { signal }: WaitOptions = {}): Promise<AgentEvent[]> {
  return connection.wait('it came to rest', (outcome) => {
    signal?.throwIfAborted();
    const seen: AgentEvent[] = [];
    return together(
      rejectOn(signal, outcome),
      connection.events.add((event) => {
        seen.push(event);
        if (event.type === 'agent_settled') outcome.resolve(seen);
      }),
    );
  });
}

type Rejectable = Pick<Deferred<unknown>, 'reject'>;

function rejectOn(signal: AbortSignal | undefined, outcome: Rejectable, before = (): unknown => undefined): () => void {
  const onAbort = () => {
    before();
    outcome.reject(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  return () => signal?.removeEventListener('abort', onAbort);
}

function together(...stops: readonly (() => void)[]): () => void {
  return () => {
    for (const stop of stops) stop();
  };
}
