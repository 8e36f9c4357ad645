// First floor, core: hands each event to everyone who listens, in the order it happened. Knows no event by name.
import type { EventListener } from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';

/** Returns a promise only when some listener asks the run to wait for it. */
export type Emit = (event: AgentEvent) => undefined | Promise<void>;

export interface Broadcast {
  emit: Emit;
  subscribe(listener: EventListener): () => void;
}

export function createBroadcast(onListenerFailure: (thrown: unknown) => void): Broadcast {
  const listeners = new Set<EventListener>();
  const settle = (waits: Promise<void>[]): Promise<void> =>
    Promise.allSettled(waits).then((outcomes) => {
      for (const outcome of outcomes) if (outcome.status === 'rejected') onListenerFailure(outcome.reason);
    });
  return {
    emit(event) {
      let waits: Promise<void>[] | undefined;
      for (const listener of listeners) {
        try {
          const wait = listener(event);
          if (wait) {
            waits ??= [];
            waits.push(wait);
          }
        } catch (thrown) {
          // One bad listener must not silence the others, nor the run.
          onListenerFailure(thrown);
        }
      }
      return waits ? settle(waits) : undefined;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
