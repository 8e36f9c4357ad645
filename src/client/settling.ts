// The hall, client: calls that are over when the agent has come to rest. Knows two events and the state's `isStreaming`.
import type { AgentMessage } from '../protocol/index.ts';
import type { CallParams, CallResult } from './call.ts';
import type { Connection } from './connection.ts';

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
    const onAbort = () => {
      connection.calls.start('abort', {}, { done: () => {}, failed: () => {} });
      outcome.reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const stops = [
      () => signal?.removeEventListener('abort', onAbort),
      connection.failures.add((error) => {
        if (error.id === id) outcome.reject(error);
      }),
      connection.events.add((event) => {
        if (!accepted) return;
        if (event.type === 'agent_end') made.push(...event.messages);
        if (event.type === 'agent_settled') outcome.resolve(made);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  });
}

export function waitForIdle(connection: Connection): Promise<void> {
  return connection.wait('it came to rest', (outcome) => {
    let running = false;
    connection.calls.start(
      'get_state',
      {},
      {
        done(state) {
          running = (state as CallResult<'get_state'>).isStreaming;
          if (!running) outcome.resolve();
        },
        failed: outcome.reject,
      },
    );
    return connection.events.add((event) => {
      if (running && event.type === 'agent_settled') outcome.resolve();
    });
  });
}
