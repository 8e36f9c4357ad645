// The line that the AI SDK is given: it ends when it should, whatever the body does, and leaves nothing behind.
import { describe, expect, test } from 'vitest';
import { createGoogleGenerativeAi } from '../../../src/llm/apis/ai-sdk/google-generative-ai.ts';
import type { WirePorts } from '../../../src/llm/http/wire.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { expectGrammar, observe } from '../contract.ts';
import { geminiFrames } from '../servers/gemini-frames.ts';
import { fetchOf, IDLE_MS, modelOf, portsWith } from './ai-sdk-stage.ts';
import { requestFor } from './anthropic-stage.ts';

const TYPE = 'text/event-stream';
const FRAMES = geminiFrames({ parts: [{ text: ['One', ' two'] }] });
const MANY = geminiFrames({ parts: [{ text: ['One', ' two', ' three', ' four', ' five', ' six'] }] });
const model = modelOf({ id: 'gemini-3-flash-preview' });

/** A body that gives its first piece and then neither ends nor fails, as Node's may after an abort. */
function deaf(cancelled: () => void = () => {}): typeof fetch {
  return async () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(FRAMES[0]),
        cancel: cancelled,
      }),
      { headers: { 'content-type': TYPE } },
    );
}

function asking(other: Partial<WirePorts>, signal = new AbortController().signal) {
  const ports = portsWith(createFakeClock(), other);
  return createGoogleGenerativeAi(ports).stream(requestFor(model, { signal }));
}

describe('a body that does not listen', () => {
  test('ends with an abort', async () => {
    const aborter = new AbortController();
    const seen = await observe(asking({ fetch: deaf() }, aborter.signal), ({ type }) => {
      if (type === 'text_delta') aborter.abort();
    });
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ stopReason: 'aborted', content: [{ text: 'One' }] });
  });

  test('ends when it has been silent for too long', async () => {
    const clock = createFakeClock();
    const seen = await observe(asking({ fetch: deaf(), clock }), ({ type }) => {
      if (type === 'text_delta') setImmediate(() => void clock.advance(IDLE_MS));
    });
    expectGrammar(seen);
    expect(seen.events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
    expect(seen.message).toMatchObject({
      errorMessage: 'The provider sent no content for 60 seconds. The limit is the setting http.idleTimeoutMs (60000).',
      content: [{ text: 'One' }],
    });
  });

  test('is let go when nobody listens to it', async () => {
    let letGo = () => {};
    const gone = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    for await (const { type } of asking({ fetch: deaf(letGo) })) if (type === 'text_delta') break;
    await gone;
  });
});

test('a long answer is not a silent one', async () => {
  const clock = createFakeClock();
  const seen = await observe(asking({ fetch: slowly(clock.advance), clock }));
  expect(seen.message).toMatchObject({ stopReason: 'stop', content: [{ text: 'One two three four five six' }] });
});

test('an answer that takes too long as a whole', async () => {
  const clock = createFakeClock();
  const fetch = slowly(clock.advance);
  const seen = await observe(asking({ fetch, clock, totalTimeoutMs: IDLE_MS }));
  expect(seen.events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
  expect(seen.message.errorMessage).toBe(
    'The answer took longer than 60 seconds. The limit is the setting http.totalTimeoutMs (60000).',
  );
});

/** All frames together take longer than the idle limit. The SDK reads ahead of what it hands on. */
function slowly(advance: (ms: number) => Promise<void>, all: readonly Uint8Array[] = MANY): typeof fetch {
  const frames = [...all];
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await advance(IDLE_MS / 4);
        const next = frames.shift();
        if (next) controller.enqueue(next);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return async () => new Response(body, { headers: { 'content-type': TYPE } });
}

test.each([
  ['a good answer', fetchOf(TYPE, FRAMES)],
  ['half an answer', fetchOf(TYPE, FRAMES.slice(0, 1))],
  ['no answer', async () => new Response('no', { status: 500 })],
] as [string, typeof fetch][])('nothing ticks on after %s', async (_name, fetch) => {
  const ticking = new Set<object>();
  const clock = {
    now: () => 0,
    after: () => {
      const timer = {};
      ticking.add(timer);
      return () => void ticking.delete(timer);
    },
  };
  const seen = await observe(asking({ fetch, clock }), () => expect(ticking.size).toBeLessThanOrEqual(1));
  expectGrammar(seen);
  expect(ticking.size).toBe(0);
});

describe('a body that is too large', () => {
  /** Counts how much was asked for. */
  function endless(piece: Uint8Array): { fetch: typeof fetch; given(): number } {
    let given = 0;
    const body = () =>
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            given += piece.length;
            controller.enqueue(given === piece.length ? FRAMES[0]! : piece);
          },
        },
        { highWaterMark: 0 },
      );
    return { fetch: async () => new Response(body(), { headers: { 'content-type': TYPE } }), given: () => given };
  }

  test.each([
    ['one event', Buffer.alloc(1024 * 1024, 'a'), 'an event of more than 16 MiB', 30],
    [
      'many events',
      Buffer.concat([MANY[1]!, Buffer.from(': '), Buffer.alloc(4_000_000, ' '), Buffer.from('\n\n')]),
      'an answer of more than 128 MiB',
      140,
    ],
  ])('%s', async (_name, piece, limit, most) => {
    const { fetch, given } = endless(piece);
    const seen = await observe(asking({ fetch }));
    expectGrammar(seen);
    expect(seen.events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
    expect(seen.message.errorMessage).toBe(`The provider sent ${limit}`);
    expect(given()).toBeLessThan(most * 1024 * 1024);
  });
});

test('a host that is slow to read does not use up the idle time', async () => {
  const clock = createFakeClock();
  let last = '';
  for await (const { type } of asking({ fetch: fetchOf(TYPE, MANY), clock, totalTimeoutMs: 100 * IDLE_MS })) {
    await clock.advance(2 * IDLE_MS);
    last = type;
  }
  expect(last).toBe('done');
});

test('pings do not start the idle time anew', async () => {
  const clock = createFakeClock();
  const frames = [FRAMES[0]!, ...Array.from({ length: 20 }, () => Buffer.from(': ping\n\n'))];
  const seen = await observe(asking({ fetch: slowly(clock.advance, frames), clock }));
  expect(seen.events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
  expect(seen.message.errorMessage).toContain('no content for 60 seconds');
});
