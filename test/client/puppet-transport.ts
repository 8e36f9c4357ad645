// For tests of the client: an agent that says exactly what a test tells it to, when it tells it to.
import { channel, deferred } from '../../src/base/index.ts';
import type { ClientTransport, Farewell } from '../../src/client/index.ts';

export interface PuppetTransport extends ClientTransport {
  /** The frames that the client has written. */
  readonly written: Record<string, unknown>[];
  /** How many lines the client has taken. */
  readonly taken: number;
  readonly ended: boolean;
  /** Objects are frames, strings are lines as they stand. */
  say(...frames: readonly (object | string)[]): void;
  /** Everything said so far has been taken, and acted upon. */
  heard(): Promise<void>;
  die(farewell?: Farewell): void;
}

/** `answer` is called with every frame of the client. */
export function createPuppet(
  answer: (frame: Record<string, unknown>, puppet: PuppetTransport) => void = () => {},
): PuppetTransport {
  const queue = channel<string>();
  const gone = deferred<Farewell>();
  const written: Record<string, unknown>[] = [];
  let taken = 0;
  let ended = false;
  async function* lines(): AsyncGenerator<string> {
    for await (const line of queue) {
      taken++;
      yield line;
    }
  }
  const puppet: PuppetTransport = {
    lines: lines(),
    closed: gone.promise,
    written,
    get taken() {
      return taken;
    },
    get ended() {
      return ended;
    },
    write(line) {
      const frame = JSON.parse(line) as Record<string, unknown>;
      written.push(frame);
      answer(frame, puppet);
    },
    end() {
      ended = true;
    },
    say(...frames) {
      for (const frame of frames) queue.push(typeof frame === 'string' ? frame : JSON.stringify(frame));
    },
    // Nothing here but promises, all of which are done when the loop turns.
    heard: () => new Promise((resolve) => setImmediate(resolve)),
    die(farewell = {}) {
      queue.close();
      gone.resolve(farewell);
    },
  };
  return puppet;
}
