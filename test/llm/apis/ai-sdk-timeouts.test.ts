// The fetch function of the AI SDK: timeouts, aborts and limits, independent of the behaviour of the body.
import { describe, expect, test } from 'vitest';
import { createGoogleGenerativeAi } from '../../../src/llm/apis/ai-sdk/google-generative-ai.ts';
import type { WirePorts } from '../../../src/llm/http/wire-api.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { expectGrammar, observe } from '../contract.ts';
import { geminiFrames } from '../servers/gemini-frames.ts';
import { createFetch, createModel } from './ai-sdk-fixture.ts';
import { createRequest } from './anthropic-fixture.ts';
import { createPorts, IDLE_MS } from './api-fixture.ts';

const TYPE = 'text/event-stream';
const FRAMES = geminiFrames({ parts: [{ text: ['One', ' two'] }] });
const MANY = geminiFrames({ parts: [{ text: ['One', ' two', ' three', ' four', ' five', ' six'] }] });
const model = createModel({ id: 'gemini-3-flash-preview' });

/** A body that sends its first chunk and then neither ends nor fails, as Node's may after an abort. */
function createHangingFetch(onCancel: () => void = () => {}): typeof fetch {
  return async () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(FRAMES[0]),
        cancel: onCancel,
      }),
      { headers: { 'content-type': TYPE } },
    );
}

function startStream(overrides: Partial<WirePorts>, signal = new AbortController().signal) {
  const ports = createPorts(createFakeClock(), overrides);
  return createGoogleGenerativeAi(ports).stream(createRequest(model, { signal }));
}

describe('a body that ignores the signal', () => {
  test('ends with an abort', async () => {
    const aborter = new AbortController();
    const observed = await observe(startStream({ fetch: createHangingFetch() }, aborter.signal), ({ type }) => {
      if (type === 'text_delta') aborter.abort();
    });
    expectGrammar(observed);
    expect(observed.message).toMatchObject({ stopReason: 'aborted', content: [{ text: 'One' }] });
  });

  test('ends after the idle timeout', async () => {
    const clock = createFakeClock();
    const observed = await observe(startStream({ fetch: createHangingFetch(), clock }), ({ type }) => {
      if (type === 'text_delta') setImmediate(() => void clock.advance(IDLE_MS));
    });
    expectGrammar(observed);
    expect(observed.events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
    expect(observed.message).toMatchObject({
      errorMessage: 'The provider sent no content for 60 seconds. The limit is the setting http.idleTimeoutMs (60000).',
      content: [{ text: 'One' }],
    });
  });

  test('is cancelled when the consumer stops reading', async () => {
    let onCancel = () => {};
    const cancelled = new Promise<void>((resolve) => {
      onCancel = resolve;
    });
    for await (const { type } of startStream({ fetch: createHangingFetch(onCancel) })) if (type === 'text_delta') break;
    await cancelled;
  });
});

test('a long response does not hit the idle timeout', async () => {
  const clock = createFakeClock();
  const observed = await observe(startStream({ fetch: createSlowFetch(clock.advance), clock }));
  expect(observed.message).toMatchObject({ stopReason: 'stop', content: [{ text: 'One two three four five six' }] });
});

test('a response that exceeds the total timeout', async () => {
  const clock = createFakeClock();
  const fetch = createSlowFetch(clock.advance);
  const observed = await observe(startStream({ fetch, clock, totalTimeoutMs: IDLE_MS }));
  expect(observed.events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
  expect(observed.message.errorMessage).toBe(
    'The response took longer than 60 seconds. The limit is the setting http.totalTimeoutMs (60000).',
  );
});

/** All frames together take longer than the idle timeout. The SDK reads ahead. */
function createSlowFetch(advance: (ms: number) => Promise<void>, chunks: readonly Uint8Array[] = MANY): typeof fetch {
  const frames = [...chunks];
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
  ['a complete response', createFetch(TYPE, FRAMES)],
  ['a partial response', createFetch(TYPE, FRAMES.slice(0, 1))],
  ['an error response', async () => new Response('no', { status: 500 })],
] as [string, typeof fetch][])('no timer is left after %s', async (_name, fetch) => {
  const timers = new Set<object>();
  const clock = {
    now: () => 0,
    after: () => {
      const timer = {};
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  const observed = await observe(startStream({ fetch, clock }), () => expect(timers.size).toBeLessThanOrEqual(1));
  expectGrammar(observed);
  expect(timers.size).toBe(0);
});

describe('a body that is too large', () => {
  /** Counts the bytes that were read. */
  function endless(piece: Uint8Array): { fetch: typeof fetch; getSent(): number } {
    let sent = 0;
    const body = () =>
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            sent += piece.length;
            controller.enqueue(sent === piece.length ? FRAMES[0]! : piece);
          },
        },
        { highWaterMark: 0 },
      );
    return { fetch: async () => new Response(body(), { headers: { 'content-type': TYPE } }), getSent: () => sent };
  }

  test.each([
    ['one event', Buffer.alloc(1024 * 1024, 'a'), 'an event of more than 16 MiB', 30],
    [
      'many events',
      Buffer.concat([MANY[1]!, Buffer.from(': '), Buffer.alloc(4_000_000, ' '), Buffer.from('\n\n')]),
      'a response of more than 128 MiB',
      140,
    ],
  ])('%s', async (_name, piece, limit, maxMib) => {
    const { fetch, getSent: given } = endless(piece);
    const observed = await observe(startStream({ fetch }));
    expectGrammar(observed);
    expect(observed.events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
    expect(observed.message.errorMessage).toBe(`The provider sent ${limit}`);
    expect(given()).toBeLessThan(maxMib * 1024 * 1024);
  });
});

test('idle time does not count while the host processes events', async () => {
  const clock = createFakeClock();
  let last = '';
  for await (const { type } of startStream({ fetch: createFetch(TYPE, MANY), clock, totalTimeoutMs: 100 * IDLE_MS })) {
    await clock.advance(2 * IDLE_MS);
    last = type;
  }
  expect(last).toBe('done');
});

test('pings do not restart the idle time', async () => {
  const clock = createFakeClock();
  const frames = [FRAMES[0]!, ...Array.from({ length: 20 }, () => Buffer.from(': ping\n\n'))];
  const observed = await observe(startStream({ fetch: createSlowFetch(clock.advance, frames), clock }));
  expect(observed.events.at(-1)).toMatchObject({ failure: { kind: 'limit' } });
  expect(observed.message.errorMessage).toContain('no content for 60 seconds');
});
