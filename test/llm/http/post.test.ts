// A request with an event stream as response: idle time, size limits and aborts.
import { describe, expect, test } from 'vitest';
import type { HttpResponse, IdleTime } from '../../../src/contracts/index.ts';
import { postForEvents, type ResponseProgress } from '../../../src/llm/http/post-for-events.ts';
import { ProviderFault } from '../../../src/llm/http/provider-fault.ts';
import { MAX_EVENT_CHARS, MAX_RESPONSE_BYTES } from '../../../src/llm/http/response-limits.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';

const IDLE_MS = 60_000;
const CALL = { url: 'http://127.0.0.1:9/', headers: {}, body: {}, secrets: [] };
const CONTENT = 'data: content\n\n';
const PING = ': ping\n\nevent: ping\ndata: ping\n\n';

interface Options {
  /** Called before each chunk is sent. */
  before?: (piece: number) => void | Promise<void>;
  idle?: IdleTime;
}

/** Starts a request whose response consists of these chunks. Events with the data `content` count as content. */
function startRequest(pieces: Iterable<string | Uint8Array>, options: Options = {}) {
  const clock = createFakeClock();
  const aborter = new AbortController();
  let sent = 0;
  async function* body(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      await options.before?.(sent);
      signal.throwIfAborted();
      sent++;
      yield typeof piece === 'string' ? Buffer.from(piece) : piece;
    }
  }
  const send = async (_url: string, { signal }: { signal: AbortSignal }): Promise<HttpResponse> => ({
    ok: true,
    status: 200,
    headers: new Headers({ 'content-type': 'text/event-stream' }),
    body: body(signal),
  });
  const ports = { send, clock, userAgent: 'test', idleTimeoutMs: IDLE_MS, totalTimeoutMs: 100 * IDLE_MS };
  let content = 0;
  const progress: ResponseProgress = { isComplete: () => false, countContent: () => content };
  const events = postForEvents(ports, CALL, { signal: aborter.signal, idleTime: options.idle }, progress);
  return {
    clock,
    aborter,
    events,
    pieces: () => sent,
    /** The data of the next events, or the failure. */
    async next(): Promise<string[] | ProviderFault | undefined> {
      try {
        const { value } = await events.next();
        const data = (value ?? []).map((event: { data: string }) => event.data);
        content += data.filter((text: string) => text === 'content').length;
        return value && data;
      } catch (thrown) {
        if (thrown instanceof ProviderFault) return thrown;
        throw thrown;
      }
    },
  };
}

describe('idle time', () => {
  test('does not count while the host processes events', async () => {
    const request = startRequest([CONTENT, CONTENT, CONTENT]);
    for (let read = 0; read < 3; read++) {
      expect(await request.next()).toEqual(['content']);
      await request.clock.advance(10 * IDLE_MS);
    }
    expect(await request.next()).toBeUndefined();
  });

  test('restarts with content', async () => {
    const wait = async () => request.clock.advance(IDLE_MS - 1);
    const request = startRequest([CONTENT, CONTENT, CONTENT], { before: wait });
    for (let read = 0; read < 3; read++) expect(await request.next()).toEqual(['content']);
    expect(await request.next()).toBeUndefined();
  });

  test('does not restart with pings', async () => {
    const wait = async () => request.clock.advance(IDLE_MS / 4);
    const request = startRequest([CONTENT, PING, PING, PING, PING, PING], { before: wait });
    expect(await request.next()).toEqual(['content']);
    const later = [await request.next(), await request.next(), await request.next(), await request.next()];
    expect(later.slice(0, 3)).toEqual([['ping'], ['ping'], ['ping']]);
    expect(later[3]).toMatchObject({
      providerFailure: { kind: 'limit' },
      message: 'The provider sent no content for 60 seconds. The limit is the setting http.idleTimeoutMs (60000).',
    });
  });

  test('continues over retries', async () => {
    const idle = { sinceMs: createFakeClock().now() - IDLE_MS + 10 };
    const request = startRequest([CONTENT], { idle, before: async () => request.clock.advance(10) });
    expect(await request.next()).toMatchObject({ providerFailure: { kind: 'limit' } });
  });

  test('content resets the time for the next retry', async () => {
    const idle = { sinceMs: 0 };
    idle.sinceMs = createFakeClock().now() - 1000;
    const request = startRequest([CONTENT, CONTENT], { idle });
    await request.next();
    await request.clock.advance(5);
    await request.next();
    expect(idle.sinceMs).toBe(request.clock.now());
  });
});

describe('size', () => {
  const line = Buffer.alloc(1024 * 1024, 'a');

  function* endless(first: string, piece: Uint8Array): Generator<string | Uint8Array> {
    yield first;
    for (;;) yield piece;
  }

  test.each([
    ['one line', 'data: ', line],
    ['many lines of one event', '', Buffer.from(`data: ${'a'.repeat(1023)}\n`.repeat(1000))],
    ['a comment', ': ', line],
  ])('%s that does not end', async (_name, first, piece) => {
    const request = startRequest(endless(first, piece));
    expect(await request.next()).toMatchObject({
      providerFailure: { kind: 'limit' },
      message: 'The provider sent an event of more than 16 MiB',
    });
    expect(request.pieces() * piece.length).toBeLessThan(MAX_EVENT_CHARS + 3 * line.length);
  });

  test('an endless stream of events', async () => {
    const piece = Buffer.from(`data: ${'a'.repeat(9990)}\n\n`.repeat(500));
    const request = startRequest(endless('', piece));
    for (;;) {
      const events = await request.next();
      if (Array.isArray(events)) continue;
      expect(events).toMatchObject({ message: 'The provider sent a response of more than 128 MiB' });
      break;
    }
    expect(request.pieces() * piece.length).toBeLessThan(MAX_RESPONSE_BYTES + 2 * piece.length);
  });

  test('a large complete event is accepted', async () => {
    const data = 'a'.repeat(MAX_EVENT_CHARS - 100);
    const request = startRequest([`data: ${data}`, '\n\n']);
    const [event] = (await request.next()) as string[];
    expect(event?.length).toBe(data.length);
  });
});

test('reads nothing after an abort, even if the response was received completely', async () => {
  const request = startRequest([CONTENT, CONTENT, CONTENT], {
    // Like Node's body after the whole response was received: the abort has no effect on it.
    before: (piece) => expect(piece).toBe(0),
  });
  expect(await request.next()).toEqual(['content']);
  request.aborter.abort();
  await expect(request.events.next()).rejects.toMatchObject({ name: 'AbortError' });
  expect(request.pieces()).toBe(1);
});
