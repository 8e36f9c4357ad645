// For tests of the client: a fake agent whose frames are controlled by the test.
import { createChannel, createDeferred } from '../../src/base/index.ts';
import type { ClientTransport, ExitInfo } from '../../src/client/index.ts';

export interface FakeAgentTransport extends ClientTransport {
  /** The frames that the client has written. */
  readonly written: Record<string, unknown>[];
  /** How many lines the client has read. */
  readonly readCount: number;
  readonly ended: boolean;
  /** Sends frames to the client. Strings are sent as raw lines. */
  send(...frames: readonly (object | string)[]): void;
  /** Resolves when the client has read and handled all lines so far. */
  waitUntilRead(): Promise<void>;
  exit(exitInfo?: ExitInfo): void;
}

/** `answer` is called for every frame of the client. */
export function createFakeAgent(
  answer: (frame: Record<string, unknown>, fakeAgent: FakeAgentTransport) => void = () => {},
): FakeAgentTransport {
  const queue = createChannel<string>();
  const exit = createDeferred<ExitInfo>();
  const written: Record<string, unknown>[] = [];
  let taken = 0;
  let ended = false;
  async function* lines(): AsyncGenerator<string> {
    for await (const line of queue) {
      taken++;
      yield line;
    }
  }
  const fakeAgent: FakeAgentTransport = {
    lines: lines(),
    closed: exit.promise,
    written,
    get readCount() {
      return taken;
    },
    get ended() {
      return ended;
    },
    write(line) {
      const frame = JSON.parse(line) as Record<string, unknown>;
      written.push(frame);
      answer(frame, fakeAgent);
    },
    end() {
      ended = true;
    },
    send(...frames) {
      for (const frame of frames) queue.push(typeof frame === 'string' ? frame : JSON.stringify(frame));
    },
    // Only promises are involved, and all of them are settled after one turn of the event loop.
    waitUntilRead: () => new Promise((resolve) => setImmediate(resolve)),
    exit(exitInfo = {}) {
      queue.close();
      exit.resolve(exitInfo);
    },
  };
  return fakeAgent;
}
