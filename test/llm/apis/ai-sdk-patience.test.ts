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
      if (type === 'text_delta') void clock.advance(IDLE_MS);
    });
    expectGrammar(seen);
    expect(seen.events.at(-1)).toMatchObject({ failure: { kind: 'timeout' } });
    expect(seen.message).toMatchObject({
      errorMessage: 'The provider sent nothing for 60 seconds',
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
  expect(seen.message).toMatchObject({ stopReason: 'stop', content: [{ text: 'One two' }] });
});

test('an answer that takes too long as a whole', async () => {
  const clock = createFakeClock();
  const fetch = slowly(clock.advance);
  const seen = await observe(asking({ fetch, clock, totalTimeoutMs: IDLE_MS }));
  expect(seen.events.at(-1)).toMatchObject({ failure: { kind: 'timeout' } });
  expect(seen.message.errorMessage).toBe('The answer took longer than 60 seconds');
});

/** Each frame comes a little before patience would be lost. */
function slowly(advance: (ms: number) => Promise<void>): typeof fetch {
  const frames = [...FRAMES];
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await advance(IDLE_MS - 1);
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
