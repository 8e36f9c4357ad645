// Chat Completions against a loopback provider: streamed replies and the model API contract.
import { describe, expect, test } from 'vitest';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { KEY } from '../servers/openai-completions.ts';
import { chunk, framesOf } from '../servers/openai-completions-frames.ts';
import { createApiFixture, createModel, createRequest, readBytes } from './openai-completions-fixture.ts';
import { summarizeEvent } from './request-samples.ts';

const fixture = createApiFixture();

const LONG = Array.from({ length: 40 }, (_, n) => `word ${n} `);
const CALLS = [
  { id: 'call_A', name: 'read', pieces: ['{"pa', 'th":"a.ts"}'] },
  { id: 'call_B', name: 'bash', pieces: ['{"command"', ':"ls"', '}'] },
];

modelApiContract('openai-completions', () => ({
  api: {
    stream(request) {
      fixture.server.reply({ answer: request.tools.length > 0 ? { calls: CALLS } : { text: LONG } });
      return fixture.api.stream({ ...request, apiKey: KEY });
    },
  },
  long: (signal) => fixture.request({ signal, tools: [] }),
  calling: (signal) => fixture.request({ signal }),
}));

describe('a text reply', () => {
  test('is streamed and has usage and cost', async () => {
    fixture.server.reply({ answer: { text: ['Hel', 'lo', ' 🌍'] } });
    const observed = await fixture.observe();
    expectGrammar(observed);
    expect(observed.events.map(summarizeEvent)).toEqual([
      ['start'],
      ['text_start', 0],
      ['text_delta', 0, 'Hel'],
      ['text_delta', 0, 'lo'],
      ['text_delta', 0, ' 🌍'],
      ['text_end', 0, 'Hello 🌍'],
      ['done', 'stop'],
    ]);
    expect(observed.message).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello 🌍' }],
      api: 'openai-completions',
      provider: 'openai',
      model: 'loop-1',
      usage: {
        input: 200,
        output: 300,
        cacheRead: 1000,
        cacheWrite: 0,
        cost: { input: 0.0004, output: 0.0024, cacheRead: 0.0005, cacheWrite: 0, total: 0.0033 },
      },
      stopReason: 'stop',
      timestamp: fixture.clock.now(),
    });
  });

  test('may be long and arrive in chunks of any size', async () => {
    const text = Array.from({ length: 3000 }, (_, n) => `line ${n} — ünïcödé\n`);
    fixture.server.reply({ answer: { text }, pieces: 4093 });
    const observed = await fixture.observe();
    expectGrammar(observed);
    expect(observed.message.content).toEqual([{ type: 'text', text: text.join('') }]);
    expect(observed.events).toHaveLength(3000 + 4);
  });

  test('may be empty', async () => {
    fixture.server.reply({ answer: {} });
    const observed = await fixture.observe();
    expectGrammar(observed);
    expect(observed.events.map(summarizeEvent)).toEqual([['start'], ['done', 'stop']]);
  });

  test('may be a refusal', async () => {
    fixture.server.reply({
      frames: [chunk({ refusal: 'I would ' }), chunk({ refusal: 'rather not.' }, 'stop'), 'data: [DONE]\n\n'],
    });
    const observed = await fixture.observe();
    expect(observed.message).toMatchObject({ content: [{ text: 'I would rather not.' }], stopReason: 'stop' });
  });

  test('may hit its length limit', async () => {
    fixture.server.reply({ answer: { text: ['half a'], finish: 'length' } });
    const observed = await fixture.observe();
    expectGrammar(observed);
    expect(observed.message).toMatchObject({ content: [{ text: 'half a' }], stopReason: 'length' });
  });
});

describe('tool calls', () => {
  test('are streamed one after the other', async () => {
    fixture.server.reply({ answer: { text: ['Looking.'], calls: CALLS } });
    const observed = await fixture.observe();
    expectGrammar(observed);
    const [first, second] = observed.message.content.slice(1);
    expect(observed.events.map(summarizeEvent)).toEqual([
      ['start'],
      ['text_start', 0],
      ['text_delta', 0, 'Looking.'],
      ['text_end', 0, 'Looking.'],
      ['toolcall_start', 1],
      ['toolcall_delta', 1, '{"pa'],
      ['toolcall_delta', 1, 'th":"a.ts"}'],
      ['toolcall_end', 1, first],
      ['toolcall_start', 2],
      ['toolcall_delta', 2, '{"command"'],
      ['toolcall_delta', 2, ':"ls"'],
      ['toolcall_delta', 2, '}'],
      ['toolcall_end', 2, second],
      ['done', 'toolUse'],
    ]);
    expect([first, second]).toEqual([
      { type: 'toolCall', id: 'call_A', name: 'read', arguments: { path: 'a.ts' } },
      { type: 'toolCall', id: 'call_B', name: 'bash', arguments: { command: 'ls' } },
    ]);
  });

  test('cut by the length limit have no arguments', async () => {
    const pieces = ['{"command":"rm -rf bu'];
    fixture.server.reply({ answer: { calls: [{ id: 'call_C', name: 'bash', pieces }], finish: 'length' } });
    const observed = await fixture.observe();
    expectGrammar(observed);
    expect(observed.message).toMatchObject({ content: [{ name: 'bash', arguments: {} }], stopReason: 'length' });
  });

  test('with invalid JSON fail', async () => {
    fixture.server.reply({ answer: { calls: [{ id: 'call_C', name: 'bash', pieces: ['{"command":'] }] } });
    const observed = await fixture.observe();
    expectGrammar(observed);
    expect(observed.events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'malformed' } });
    expect(observed.message.errorMessage).toContain('unreadable arguments for the tool bash');
  });
});

describe('thinking', () => {
  test.each(['reasoning_content', 'reasoning', 'reasoning_text'])('in the field %s', async (field) => {
    fixture.server.reply({ answer: { thinking: ['Hm', 'm.'], field, text: ['Yes.'] } });
    const observed = await fixture.observe();
    expectGrammar(observed);
    expect(observed.events.map(summarizeEvent).slice(1, 6)).toEqual([
      ['thinking_start', 0],
      ['thinking_delta', 0, 'Hm'],
      ['thinking_delta', 0, 'm.'],
      ['thinking_end', 0, 'Hmm.'],
      ['text_start', 1],
    ]);
    expect(observed.message.content).toEqual([
      { type: 'thinking', thinking: 'Hmm.', thinkingSignature: field },
      { type: 'text', text: 'Yes.' },
    ]);
  });
});

describe('an abort', () => {
  test('during the stream keeps the received content and closes the connection', async () => {
    fixture.server.reply({ answer: { text: LONG }, upTo: 12, after: 'stall' });
    const aborter = new AbortController();
    const nextRequest = fixture.server.next();
    const observed = await observe(fixture.api.stream(fixture.request({ signal: aborter.signal })), (_, count) => {
      if (count === 8) aborter.abort();
    });
    expectGrammar(observed);
    expect(observed.events.at(-1)).toMatchObject({ type: 'error', reason: 'aborted' });
    expect(observed.message).toMatchObject({ stopReason: 'aborted', errorMessage: 'Request was aborted' });
    expect(observed.message.content).toEqual([{ type: 'text', text: LONG.slice(0, 6).join('') }]);
    await (await nextRequest).closed;
  });

  test('before the first byte', async () => {
    fixture.server.reply({ silent: true });
    const aborter = new AbortController();
    const aborted = fixture.server.next().then((request) => {
      aborter.abort();
      return request.closed;
    });
    const observed = await observe(fixture.api.stream(fixture.request({ signal: aborter.signal })));
    expectGrammar(observed);
    expect(observed.events.map(summarizeEvent)).toEqual([['start'], ['error', 'aborted']]);
    await aborted;
  });
});

describe('splitting the stream', () => {
  const frames = framesOf({
    thinking: ['Über'],
    text: ['<b>"ä"\n🌍'],
    calls: [{ id: 'call_A', name: 'read', pieces: ['{"path":"ß', '\\u00e9"}'] }],
  });
  const bytes = new TextEncoder().encode(frames.join(''));

  test('at every byte gives the same events', () => {
    const full = readBytes([bytes], createRequest(createModel()));
    expectGrammar(full);
    const expected = JSON.stringify([full.events.map(summarizeEvent), full.message]);
    const request = createRequest(createModel());
    const failedSplits = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1).filter((at) => {
      const split = readBytes([bytes.subarray(0, at), bytes.subarray(at)], request);
      return JSON.stringify([split.events.map(summarizeEvent), split.message]) !== expected;
    });
    expect(failedSplits).toEqual([]);
  });

  test.each([1, 7, 64])('into chunks of %i bytes over the network gives the same events', async (pieces) => {
    fixture.server.reply({ frames }, { frames, pieces });
    const full = await fixture.observe();
    const split = await fixture.observe();
    expect(split.events.map(summarizeEvent)).toEqual(full.events.map(summarizeEvent));
    expect(split.message).toEqual(full.message);
  });
});
