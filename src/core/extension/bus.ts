// First floor, core: `pi.events`, by which extensions talk to one another. Carries no events of the agent.

type Listener = (data: unknown) => unknown;

export interface EventBus {
  emit(channel: string, data?: unknown): void;
  on(channel: string, listener: Listener): () => void;
}

export function createEventBus(failed: (channel: string, thrown: unknown) => void): EventBus & { clear(): void } {
  const channels = new Map<string, Set<Listener>>();
  return {
    emit(channel, data) {
      for (const listener of [...(channels.get(channel) ?? [])]) {
        // One that throws must not keep the others from hearing.
        void (async () => listener(data))().catch((thrown: unknown) => failed(channel, thrown));
      }
    },
    on(channel, listener) {
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners.add(listener));
      return () => void listeners.delete(listener);
    },
    clear: () => channels.clear(),
  };
}
