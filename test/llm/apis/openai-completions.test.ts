// Chat Completions against a loopback provider: answers as they stream in, and that the promises of a model API hold.
import { describe, expect, test } from 'vitest';
import { expectGrammar, modelApiContract, observe } from '../contract.ts';
import { KEY } from '../servers/openai-completions.ts';
import { chunk, framesOf } from '../servers/openai-completions-frames.ts';
import { bare, modelOf, readBytes, requestFor, stage } from './openai-completions-stage.ts';

const loop = stage();

const LONG = Array.from({ length: 40 }, (_, n) => `word ${n} `);
const CALLS = [
  { id: 'call_A', name: 'read', pieces: ['{"pa', 'th":"a.ts"}'] },
  { id: 'call_B', name: 'bash', pieces: ['{"command"', ':"ls"', '}'] },
];

modelApiContract('openai-completions', () => ({
  api: {
    stream(request) {
      loop.server.reply({ answer: request.tools.length > 0 ? { calls: CALLS } : { text: LONG } });
      return loop.api.stream({ ...request, apiKey: KEY });
    },
  },
  long: (signal) => loop.request({ signal, tools: [] }),
  calling: (signal) => loop.request({ signal }),
}));

describe('an answer in words', () => {
  test('is told piece by piece and priced', async () => {
    loop.server.reply({ answer: { text: ['Hel', 'lo', ' 🌍'] } });
    const seen = await loop.ask();
    expectGrammar(seen);
    expect(seen.events.map(bare)).toEqual([
      ['start'],
      ['text_start', 0],
      ['text_delta', 0, 'Hel'],
      ['text_delta', 0, 'lo'],
      ['text_delta', 0, ' 🌍'],
      ['text_end', 0, 'Hello 🌍'],
      ['done', 'stop'],
    ]);
    expect(seen.message).toEqual({
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
      timestamp: loop.clock.now(),
    });
  });

  test('may be long, and come in pieces of any size', async () => {
    const text = Array.from({ length: 3000 }, (_, n) => `line ${n} — ünïcödé\n`);
    loop.server.reply({ answer: { text }, pieces: 4093 });
    const seen = await loop.ask();
    expectGrammar(seen);
    expect(seen.message.content).toEqual([{ type: 'text', text: text.join('') }]);
    expect(seen.events).toHaveLength(3000 + 4);
  });

  test('may be empty', async () => {
    loop.server.reply({ answer: {} });
    const seen = await loop.ask();
    expectGrammar(seen);
    expect(seen.events.map(bare)).toEqual([['start'], ['done', 'stop']]);
  });

  test('may refuse, in words', async () => {
    loop.server.reply({
      frames: [chunk({ refusal: 'I would ' }), chunk({ refusal: 'rather not.' }, 'stop'), 'data: [DONE]\n\n'],
    });
    const seen = await loop.ask();
    expect(seen.message).toMatchObject({ content: [{ text: 'I would rather not.' }], stopReason: 'stop' });
  });

  test('may hit its length limit', async () => {
    loop.server.reply({ answer: { text: ['half a'], finish: 'length' } });
    const seen = await loop.ask();
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ content: [{ text: 'half a' }], stopReason: 'length' });
  });
});

describe('tool calls', () => {
  test('stream one after the other', async () => {
    loop.server.reply({ answer: { text: ['Looking.'], calls: CALLS } });
    const seen = await loop.ask();
    expectGrammar(seen);
    const [first, second] = seen.message.content.slice(1);
    expect(seen.events.map(bare)).toEqual([
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

  test('that the length limit cut have no arguments', async () => {
    const pieces = ['{"command":"rm -rf bu'];
    loop.server.reply({ answer: { calls: [{ id: 'call_C', name: 'bash', pieces }], finish: 'length' } });
    const seen = await loop.ask();
    expectGrammar(seen);
    expect(seen.message).toMatchObject({ content: [{ name: 'bash', arguments: {} }], stopReason: 'length' });
  });

  test('that are no JSON fail', async () => {
    loop.server.reply({ answer: { calls: [{ id: 'call_C', name: 'bash', pieces: ['{"command":'] }] } });
    const seen = await loop.ask();
    expectGrammar(seen);
    expect(seen.events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'malformed' } });
    expect(seen.message.errorMessage).toContain('unreadable arguments for the tool bash');
  });
});

describe('thinking', () => {
  test.each(['reasoning_content', 'reasoning', 'reasoning_text'])('in the field %s', async (field) => {
    loop.server.reply({ answer: { thinking: ['Hm', 'm.'], field, text: ['Yes.'] } });
    const seen = await loop.ask();
    expectGrammar(seen);
    expect(seen.events.map(bare).slice(1, 6)).toEqual([
      ['thinking_start', 0],
      ['thinking_delta', 0, 'Hm'],
      ['thinking_delta', 0, 'm.'],
      ['thinking_end', 0, 'Hmm.'],
      ['text_start', 1],
    ]);
    expect(seen.message.content).toEqual([
      { type: 'thinking', thinking: 'Hmm.', thinkingSignature: field },
      { type: 'text', text: 'Yes.' },
    ]);
  });
});

describe('an abort', () => {
  test('in the middle keeps what came and closes the connection', async () => {
    loop.server.reply({ answer: { text: LONG }, upTo: 12, after: 'stall' });
    const aborter = new AbortController();
    const arrived = loop.server.next();
    const seen = await observe(loop.api.stream(loop.request({ signal: aborter.signal })), (_, count) => {
      if (count === 8) aborter.abort();
    });
    expectGrammar(seen);
    expect(seen.events.at(-1)).toMatchObject({ type: 'error', reason: 'aborted' });
    expect(seen.message).toMatchObject({ stopReason: 'aborted', errorMessage: 'Request was aborted' });
    expect(seen.message.content).toEqual([{ type: 'text', text: LONG.slice(0, 6).join('') }]);
    await (await arrived).closed;
  });

  test('before the first byte', async () => {
    loop.server.reply({ silent: true });
    const aborter = new AbortController();
    const arrived = loop.server.next().then((got) => {
      aborter.abort();
      return got.closed;
    });
    const seen = await observe(loop.api.stream(loop.request({ signal: aborter.signal })));
    expectGrammar(seen);
    expect(seen.events.map(bare)).toEqual([['start'], ['error', 'aborted']]);
    await arrived;
  });
});

describe('cuts', () => {
  const frames = framesOf({
    thinking: ['Über'],
    text: ['<b>"ä"\n🌍'],
    calls: [{ id: 'call_A', name: 'read', pieces: ['{"path":"ß', '\\u00e9"}'] }],
  });
  const bytes = new TextEncoder().encode(frames.join(''));

  test('at every byte of a stream change nothing', () => {
    const whole = readBytes([bytes], requestFor(modelOf()));
    expectGrammar(whole);
    const expected = JSON.stringify([whole.events.map(bare), whole.message]);
    const request = requestFor(modelOf());
    const changed = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1).filter((at) => {
      const cut = readBytes([bytes.subarray(0, at), bytes.subarray(at)], request);
      return JSON.stringify([cut.events.map(bare), cut.message]) !== expected;
    });
    expect(changed).toEqual([]);
  });

  test.each([1, 7, 64])('into pieces of %i bytes change nothing on the way either', async (pieces) => {
    loop.server.reply({ frames }, { frames, pieces });
    const whole = await loop.ask();
    const cut = await loop.ask();
    expect(cut.events.map(bare)).toEqual(whole.events.map(bare));
    expect(cut.message).toEqual(whole.message);
  });
});
