// The hall, testing: the host's side of a wire, with a memory of what went by.

export interface FrameReader {
  /** The next frame; throws when none comes. */
  next(): Promise<unknown>;
  /** Reads on until `fits`, and returns that frame. What came before stays unread. */
  seek(fits: (frame: unknown) => boolean): Promise<unknown>;
  readonly unread: readonly unknown[];
  readonly all: readonly unknown[];
}

/** No frame of a scenario takes longer, even on a machine that is busy with other tests. */
const TIMEOUT_MS = 60_000;
/** How many of the newest frames the error of a timeout shows. */
const SHOWN_FRAMES = 5;

export function createFrameReader(receive: () => Promise<string>): FrameReader {
  const unread: unknown[] = [];
  const all: unknown[] = [];
  const pull = async (): Promise<unknown> => {
    const line = await withTimeout(
      receive(),
      () => `no frame within ${TIMEOUT_MS} ms; the newest were:\n${newest(all)}`,
    );
    const frame: unknown = JSON.parse(line);
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

function newest(frames: readonly unknown[]): string {
  return frames
    .slice(-SHOWN_FRAMES)
    .map((frame) => `  ${JSON.stringify(frame)}`)
    .join('\n');
}

function withTimeout<T>(promise: Promise<T>, message: () => string): Promise<T> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(message())));
    promise.then(resolve, reject);
  });
}
