// `pi.events`: an event bus between extensions. It does not carry agent events.

type Listener = (data: unknown) => unknown;

export interface EventBus {
  emit(channel: string, data?: unknown): void;
  on(channel: string, listener: Listener): () => void;
}

export function createEventBus(onError: (channel: string, thrown: unknown) => void): EventBus & { clear(): void } {
  const channels = new Map<string, Set<Listener>>();
  return {
    emit(channel, data) {
      for (const listener of [...(channels.get(channel) ?? [])]) {
        // A listener that throws must not affect the other listeners.
        void (async () => listener(data))().catch((thrown: unknown) => onError(channel, thrown));
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
