// The hall, testing: the host's side of a wire, with a memory of what went by.

export interface FrameReader {
  /** The next frame; throws when none comes. */
  next(): Promise<unknown>;
  /** Reads on until `fits`, and returns that frame. What came before stays unread. */
  seek(fits: (frame: unknown) => boolean): Promise<unknown>;
  readonly unread: readonly unknown[];
  readonly all: readonly unknown[];
}

const PATIENCE_MS = 60_000;

export function createFrameReader(receive: () => Promise<string>): FrameReader {
  const unread: unknown[] = [];
  const all: unknown[] = [];
  const pull = async (): Promise<unknown> => {
    const frame: unknown = JSON.parse(await orTooLate(receive()));
    all.push(frame);
    return frame;
  };
  return {
    unread,
    all,
    next: async () => (unread.length > 0 ? unread.shift() : pull()),
    async seek(fits) {
      for (;;) {
        const frame = await pull();
        if (fits(frame)) return frame;
        unread.push(frame);
      }
    },
  };
}

function orTooLate(frame: Promise<string>): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`no frame came within ${PATIENCE_MS} ms`)));
    frame.then(resolve, reject);
  });
}
