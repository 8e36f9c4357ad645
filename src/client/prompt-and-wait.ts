// Calls that wait until the agent is idle.
import type { Deferred } from '../base/index.ts';
import type { AgentMessage } from '../protocol/index.ts';
import type { CallParams, CallResult } from './call-types.ts';
import type { ClientEvent } from './client-event.ts';
import type { Connection } from './connection.ts';
import { ConnectionLostError } from './errors.ts';

export interface WaitOptions {
  /** Aborting rejects with the signal's reason. Use `AbortSignal.timeout(ms)` for a timeout. */
  signal?: AbortSignal | undefined;
}

export interface PromptOptions extends Omit<CallParams<'prompt'>, 'message'> {
  /** Aborting sends `abort` to the agent and rejects with the signal's reason, without waiting for the end of the run. */
  signal?: AbortSignal | undefined;
}

/**
 * Returns all messages of the runs from this prompt on, when no automatic retry or continuation follows. Rejects when the client has
 * missed the end of the run: the connection was lost, and the server could not send the missed events.
 */
export function promptAndWait(
  connection: Connection,
  message: string,
  { signal, ...params }: PromptOptions = {},
): Promise<AgentMessage[]> {
  return connection.waitFor('the prompt was completed', (outcome) => {
    signal?.throwIfAborted();
    const messages: AgentMessage[] = [];
    // Events before the acceptance belong to an earlier run.
    let accepted = false;
    const accept = () => {
      accepted = true;
    };
    const call = { message, ...params };
    const id = connection.calls.start('prompt', call, { onSuccess: accept, onFailure: outcome.reject });
    return combineCleanups(
      rejectOnAbort(signal, outcome, () =>
        connection.calls.start('abort', {}, { onSuccess: () => {}, onFailure: () => {} }),
      ),
      rejectOnMissedEnd(connection, outcome, 'prompt'),
      connection.lateFailures.add((error) => {
        if (error.id === id) outcome.reject(error);
      }),
      connection.events.add((event) => {
        if (!accepted) return;
        if (event.type === 'agent_end') messages.push(...event.messages);
        if (event.type === 'agent_settled') outcome.resolve(messages);
      }),
    );
  });
}

export function waitForIdle(connection: Connection, { signal }: WaitOptions = {}): Promise<void> {
  return connection.waitFor('it became idle', (outcome) => {
    signal?.throwIfAborted();
    let running = false;
    connection.calls.start(
      'get_state',
      {},
      {
        onSuccess(state) {
          const { isStreaming, isSettled } = state as Partial<CallResult<'get_state'>>;
          // Other agents with this protocol may not have the newer field isSettled.
          running = isSettled === undefined ? isStreaming === true : !isSettled;
          if (!running) outcome.resolve();
        },
        onFailure: outcome.reject,
      },
    );
    return combineCleanups(
      rejectOnAbort(signal, outcome),
      connection.snapshots.add(({ state }) => {
        if (running && state.isSettled) outcome.resolve();
      }),
      connection.events.add((event) => {
        if (running && event.type === 'agent_settled') outcome.resolve();
      }),
    );
  });
}

/** Returns the events from now on, up to and including the next `agent_settled`. */
export function collectEvents(connection: Connection, { signal }: WaitOptions = {}): Promise<ClientEvent[]> {
  return connection.waitFor('it became idle', (outcome) => {
    signal?.throwIfAborted();
    const events: ClientEvent[] = [];
    return combineCleanups(
      rejectOnAbort(signal, outcome),
      rejectOnMissedEnd(connection, outcome, 'agent_settled'),
      connection.events.add((event) => {
        events.push(event);
        if (event.type === 'agent_settled') outcome.resolve(events);
      }),
    );
  });
}

type Rejectable = Pick<Deferred<unknown>, 'reject'>;

function rejectOnAbort(
  signal: AbortSignal | undefined,
  outcome: Rejectable,
  beforeReject = (): unknown => undefined,
): () => void {
  const onAbort = () => {
    beforeReject();
    outcome.reject(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  return () => signal?.removeEventListener('abort', onAbort);
}

/** After a lost connection, the snapshot of a session that is idle replaces the events that would have ended the wait. */
function rejectOnMissedEnd(connection: Connection, outcome: Rejectable, awaited: string): () => void {
  const { lossCount } = connection;
  return connection.snapshots.add(({ state, reason }) => {
    if (state.isSettled && connection.lossCount > lossCount)
      outcome.reject(new ConnectionLostError(awaited, `events were missed: ${reason}`));
  });
}

function combineCleanups(...cleanups: readonly (() => void)[]): () => void {
  return () => {
    for (const cleanup of cleanups) cleanup();
  };
}
