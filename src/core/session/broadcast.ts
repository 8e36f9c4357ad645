// First floor, core: hands each event to everyone who listens, in the order it happened. Knows no event by name.
import type { EventListener } from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';

/** Returns a promise only when some listener asks the run to wait for it. */
export type Emit = (event: AgentEvent) => undefined | Promise<void>;

export interface Broadcast {
  emit: Emit;
  subscribe(listener: EventListener): () => void;
  /** From here on events are told as they happen. Those from before wait for whoever listens first. */
  open(): void;
}

export function createBroadcast(onListenerFailure: (thrown: unknown) => void): Broadcast {
  const listeners = new Set<EventListener>();
  const settle = (waits: Promise<void>[]): Promise<void> =>
    Promise.allSettled(waits).then((outcomes) => {
      for (const outcome of outcomes) if (outcome.status === 'rejected') onListenerFailure(outcome.reason);
    });
  /** What happened while the session was made: what is wrong with the log that it goes on with, for example. */
  let early: AgentEvent[] = [];
  let isOpen = false;
  const tell = (listener: EventListener, event: AgentEvent): undefined | Promise<void> => {
    try {
      return listener(event) ?? undefined;
    } catch (thrown) {
      // One bad listener must not silence the others, nor the run.
      onListenerFailure(thrown);
      return undefined;
    }
  };
  return {
    emit(event) {
      if (!isOpen) {
        early.push(event);
        return undefined;
      }
      if (early.length > 0) early = [];
      let waits: Promise<void>[] | undefined;
      for (const listener of listeners) {
        const wait = tell(listener, event);
        if (!wait) continue;
        waits ??= [];
        waits.push(wait);
      }
      return waits ? settle(waits) : undefined;
    },
    subscribe(listener) {
      listeners.add(listener);
      const missed = early;
      // Not at once: whoever begins to listen may have a word of greeting to say first.
      queueMicrotask(() => {
        for (const event of missed)
          if (listeners.has(listener)) void settle([tell(listener, event) ?? Promise.resolve()]);
      });
      return () => listeners.delete(listener);
    },
    open() {
      isOpen = true;
    },
  };
}
