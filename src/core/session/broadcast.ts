// Delivers each event to all listeners, in order.
import type { Emit, EventListener } from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';

export interface Broadcast {
  emit: Emit;
  subscribe(listener: EventListener): () => void;
  /** Starts immediate delivery. Events emitted before are delivered to listeners that subscribe before the next event. */
  startDelivery(): void;
}

export function createBroadcast(onListenerFailure: (thrown: unknown) => void): Broadcast {
  const listeners = new Set<EventListener>();
  const settleAll = (waits: Promise<void>[]): Promise<void> =>
    Promise.allSettled(waits).then((outcomes) => {
      for (const outcome of outcomes) if (outcome.status === 'rejected') onListenerFailure(outcome.reason);
    });
  /** Events from the creation of the session, for example notices about a damaged log. */
  let earlyEvents: AgentEvent[] = [];
  let isDelivering = false;
  const notify = (listener: EventListener, event: AgentEvent): undefined | Promise<void> => {
    try {
      return listener(event) ?? undefined;
    } catch (thrown) {
      // A listener that throws must not stop the other listeners or the run.
      onListenerFailure(thrown);
      return undefined;
    }
  };
  return {
    emit(event) {
      if (!isDelivering) {
        earlyEvents.push(event);
        return undefined;
      }
      if (earlyEvents.length > 0) earlyEvents = [];
      let waits: Promise<void>[] | undefined;
      for (const listener of listeners) {
        const wait = notify(listener, event);
        if (!wait) continue;
        waits ??= [];
        waits.push(wait);
      }
      return waits ? settleAll(waits) : undefined;
    },
    subscribe(listener) {
      listeners.add(listener);
      const missed = earlyEvents;
      // Deferred, so that the subscriber can send its own first message before these events.
      queueMicrotask(() => {
        for (const event of missed)
          if (listeners.has(listener)) void settleAll([notify(listener, event) ?? Promise.resolve()]);
      });
      return () => listeners.delete(listener);
    },
    startDelivery() {
      isDelivering = true;
    },
  };
}
