// Reads frames on the host's side and keeps all of them.

export interface FrameReader {
  /** Returns the next frame. Throws when none arrives in time. */
  next(): Promise<unknown>;
  /** Reads frames until one matches and returns it. The frames before it stay unread. */
  seek(matches: (frame: unknown) => boolean): Promise<unknown>;
  readonly unread: readonly unknown[];
  readonly all: readonly unknown[];
}

/** Long enough for every scenario, even on a machine that is busy with other tests. */
const TIMEOUT_MS = 60_000;
/** How many of the last frames a timeout error shows. */
const MAX_SHOWN_FRAMES = 5;

export function createFrameReader(receive: () => Promise<string>): FrameReader {
  const unread: unknown[] = [];
  const all: unknown[] = [];
  const receiveFrame = async (): Promise<unknown> => {
    const line = await withTimeout(
      receive(),
      () => `no frame within ${TIMEOUT_MS} ms; the newest were:\n${formatLatest(all)}`,
    );
    const frame: unknown = JSON.parse(line);
    all.push(frame);
    return frame;
  };
  return {
    unread,
    all,
    next: async () => (unread.length > 0 ? unread.shift() : receiveFrame()),
    async seek(matches) {
      for (;;) {
        const frame = await receiveFrame();
        if (matches(frame)) return frame;
        unread.push(frame);
      }
    },
  };
}

function formatLatest(frames: readonly unknown[]): string {
  return frames
    .slice(-MAX_SHOWN_FRAMES)
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
