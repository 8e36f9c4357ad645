// A set of listeners for one kind of value.

export type Listener<T> = (value: T) => void;

export interface Listeners<T> {
  readonly size: number;
  /** Returns a function that removes the listener. */
  add(listener: Listener<T>): () => void;
  emit(value: T): void;
}

/** An exception of one listener must not affect other listeners or the reading of frames. It goes to `onError`. */
export function createListeners<T>(onError: (thrown: unknown) => void): Listeners<T> {
  const listeners = new Set<{ listener: Listener<T> }>();
  return {
    get size() {
      return listeners.size;
    },
    add(listener) {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    emit(value) {
      for (const { listener } of [...listeners]) {
        try {
          listener(value);
        } catch (thrown) {
          onError(thrown);
        }
      }
    },
  };
}
