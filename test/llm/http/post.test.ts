// One request whose answer is a stream of events: what counts as idle, what is too large, and what an abort ends.
import { describe, expect, test } from 'vitest';
import type { HttpAnswer, IdleTime } from '../../../src/contracts/index.ts';
import { ProviderFault } from '../../../src/llm/http/failure.ts';
import { MAX_ANSWER, MAX_EVENT } from '../../../src/llm/http/limits.ts';
import { type AnswerProgress, post } from '../../../src/llm/http/post.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';

const IDLE_MS = 60_000;
const CALL = { url: 'http://127.0.0.1:9/', headers: {}, body: {}, secrets: [] };
const CONTENT = 'data: content\n\n';
const PING = ': ping\n\nevent: ping\ndata: ping\n\n';

interface Options {
  /** Called before each piece is given. */
  before?: (piece: number) => void | Promise<void>;
  idle?: IdleTime;
}

/** A request that is answered with these pieces. Events with the data `content` are content. */
function asked(pieces: Iterable<string | Uint8Array>, options: Options = {}) {
  const clock = createFakeClock();
  const aborter = new AbortController();
  let given = 0;
  async function* body(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      await options.before?.(given);
      signal.throwIfAborted();
      given++;
      yield typeof piece === 'string' ? Buffer.from(piece) : piece;
    }
  }
  const send = async (_url: string, { signal }: { signal: AbortSignal }): Promise<HttpAnswer> => ({
    ok: true,
    status: 200,
    headers: new Headers({ 'content-type': 'text/event-stream' }),
    body: body(signal),
  });
  const ports = { send, clock, userAgent: 'test', idleTimeoutMs: IDLE_MS, totalTimeoutMs: 100 * IDLE_MS };
  let content = 0;
  const progress: AnswerProgress = { isOver: () => false, count: () => content };
  const events = post(ports, CALL, { signal: aborter.signal, idle: options.idle }, progress);
  return {
    clock,
    aborter,
    events,
    pieces: () => given,
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
  test('a host that is slow to read does not use it up', async () => {
    const request = asked([CONTENT, CONTENT, CONTENT]);
    for (let read = 0; read < 3; read++) {
      expect(await request.next()).toEqual(['content']);
      await request.clock.advance(10 * IDLE_MS);
    }
    expect(await request.next()).toBeUndefined();
  });

  test('content starts it anew', async () => {
    const wait = async () => request.clock.advance(IDLE_MS - 1);
    const request = asked([CONTENT, CONTENT, CONTENT], { before: wait });
    for (let read = 0; read < 3; read++) expect(await request.next()).toEqual(['content']);
    expect(await request.next()).toBeUndefined();
  });

  test('pings do not', async () => {
    const wait = async () => request.clock.advance(IDLE_MS / 4);
    const request = asked([CONTENT, PING, PING, PING, PING, PING], { before: wait });
    expect(await request.next()).toEqual(['content']);
    const later = [await request.next(), await request.next(), await request.next(), await request.next()];
    expect(later.slice(0, 3)).toEqual([['ping'], ['ping'], ['ping']]);
    expect(later[3]).toMatchObject({
      failure: { kind: 'limit' },
      message: 'The provider sent no content for 60 seconds. The limit is the setting http.idleTimeoutMs (60000).',
    });
  });

  test('a retry goes on with that of the attempt before it', async () => {
    const idle = { since: createFakeClock().now() - IDLE_MS + 10 };
    const request = asked([CONTENT], { idle, before: async () => request.clock.advance(10) });
    expect(await request.next()).toMatchObject({ failure: { kind: 'limit' } });
  });

  test('content sets the time that a retry would go on with', async () => {
    const idle = { since: 0 };
    idle.since = createFakeClock().now() - 1000;
    const request = asked([CONTENT, CONTENT], { idle });
    await request.next();
    await request.clock.advance(5);
    await request.next();
    expect(idle.since).toBe(request.clock.now());
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
    const request = asked(endless(first, piece));
    expect(await request.next()).toMatchObject({
      failure: { kind: 'limit' },
      message: 'The provider sent an event of more than 16 MiB',
    });
    expect(request.pieces() * piece.length).toBeLessThan(MAX_EVENT + 3 * line.length);
  });

  test('events without an end', async () => {
    const piece = Buffer.from(`data: ${'a'.repeat(9990)}\n\n`.repeat(500));
    const request = asked(endless('', piece));
    for (;;) {
      const events = await request.next();
      if (Array.isArray(events)) continue;
      expect(events).toMatchObject({ message: 'The provider sent an answer of more than 128 MiB' });
      break;
    }
    expect(request.pieces() * piece.length).toBeLessThan(MAX_ANSWER + 2 * piece.length);
  });

  test('a large event that is complete is read', async () => {
    const data = 'a'.repeat(MAX_EVENT - 100);
    const request = asked([`data: ${data}`, '\n\n']);
    const [event] = (await request.next()) as string[];
    expect(event?.length).toBe(data.length);
  });
});

test('after an abort nothing more is read, though all of the answer is there', async () => {
  const request = asked([CONTENT, CONTENT, CONTENT], {
    // As Node's body does once the answer is complete: the signal changes nothing.
    before: (piece) => expect(piece).toBe(0),
  });
  expect(await request.next()).toEqual(['content']);
  request.aborter.abort();
  await expect(request.events.next()).rejects.toMatchObject({ name: 'AbortError' });
  expect(request.pieces()).toBe(1);
});
