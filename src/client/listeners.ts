// The hall, client: who wants to hear of something. Knows nothing of what is heard.

export type Listener<T> = (news: T) => void;

export interface Listeners<T> {
  readonly size: number;
  /** Returns the way to stop listening. */
  add(listener: Listener<T>): () => void;
  tell(news: T): void;
}

/** One bad listener must not silence the others, nor stop the reading: what it throws goes to `onError`. */
export function createListeners<T>(onError: (thrown: unknown) => void): Listeners<T> {
  const listeners = new Set<{ hear: Listener<T> }>();
  return {
    get size() {
      return listeners.size;
    },
    add(hear) {
      const entry = { hear };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    tell(news) {
      for (const { hear } of [...listeners]) {
        try {
          hear(news);
        } catch (thrown) {
          onError(thrown);
        }
      }
    },
  };
}
