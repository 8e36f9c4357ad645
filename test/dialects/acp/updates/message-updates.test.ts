// Tests of message chunks: what is streamed, what is sent whole, and what the client does not get.
import { expect, test } from 'vitest';
import type { Frame } from '../../../../src/contracts/index.ts';
import { createUpdateFrame } from '../../../../src/dialects/acp/updates/index.ts';
import { joinChunks, measureEncoding } from '../../frame-text.ts';
import { validate } from '../schema-validator.ts';
import { createAnswer, createEncoder, streamText } from './updates-fixture.ts';

const chunksOf = (updates: readonly object[]) =>
  updates.flatMap((update) => {
    const { sessionUpdate, content } = update as { sessionUpdate: string; content?: { text?: string } };
    return sessionUpdate.endsWith('_chunk') ? [[sessionUpdate, content?.text]] : [];
  });

test('deltas of text and thinking are sent as chunks, and the end repeats nothing', () => {
  const { encode } = createEncoder();
  expect(chunksOf(encode(...streamText('text', ['Hel', '', 'lo'])))).toEqual([
    ['agent_message_chunk', 'Hel'],
    ['agent_message_chunk', 'lo'],
  ]);
  expect(chunksOf(encode(...streamText('thinking', ['Hm'])))).toEqual([['agent_thought_chunk', 'Hm']]);
});

test('a message without deltas is sent whole, once', () => {
  const { encode } = createEncoder();
  const message = createAnswer([
    { type: 'thinking', thinking: 'plan' },
    { type: 'text', text: 'done' },
    { type: 'thinking', thinking: 'secret', redacted: true },
  ]);
  expect(chunksOf(encode({ type: 'message_start', message }, { type: 'message_end', message }))).toEqual([
    ['agent_thought_chunk', 'plan'],
    ['agent_message_chunk', 'done'],
  ]);
});

test('text that a provider adds at the end is sent; a correction is not', () => {
  const { encode } = createEncoder();
  const partial = createAnswer([{ type: 'text', text: 'abc' }]);
  const update = (assistantMessageEvent: object) =>
    ({ type: 'message_update', message: partial, assistantMessageEvent }) as Parameters<typeof encode>[0];
  const start = { type: 'message_start', message: createAnswer([]) } as const;
  const delta = update({ type: 'text_delta', contentIndex: 0, delta: 'ab', partial });
  const addition = update({ type: 'text_end', contentIndex: 0, content: 'abc', partial });
  const correction = update({ type: 'text_end', contentIndex: 0, content: 'xyz', partial });
  expect(chunksOf(encode(start, delta, addition)).map(([, text]) => text)).toEqual(['ab', 'c']);
  expect(chunksOf(encode(start, delta, correction)).map(([, text]) => text)).toEqual(['ab']);
});

test('all chunks of a message have its id, and the next message has another one', () => {
  const { encode } = createEncoder();
  const idsOf = () =>
    new Set(
      encode(...streamText('text', ['a', 'b'])).flatMap((update) => ('messageId' in update ? [update.messageId] : [])),
    );
  const [first, second] = [idsOf(), idsOf()];
  expect([first.size, second.size]).toEqual([1, 1]);
  expect([...first]).not.toEqual([...second]);
});

test('prompts of the client are not repeated; visible messages of extensions are shown', () => {
  const { encode } = createEncoder();
  const prompt = { role: 'user', content: 'Hi', timestamp: 1 } as const;
  const custom = {
    role: 'custom',
    customType: 'note',
    content: 'From an extension',
    display: true,
    timestamp: 2,
  } as const;
  const hidden = { ...custom, display: false };
  const updates = [prompt, custom, hidden].flatMap((message) =>
    encode({ type: 'message_start', message }, { type: 'message_end', message }),
  );
  expect(updates).toMatchObject([
    {
      sessionUpdate: 'user_message_chunk',
      content: { text: 'From an extension' },
      _meta: { parley: { customType: 'note' } },
    },
  ]);
  expect(updates).toHaveLength(1);
});

test('a long text is split between characters', () => {
  const { encode } = createEncoder();
  const text = `${'x'.repeat(31_999)}😀${'y'.repeat(40_000)}`;
  const message = createAnswer([{ type: 'text', text }]);
  const parts = chunksOf(encode({ type: 'message_start', message }, { type: 'message_end', message }));
  expect(parts.map(([, part]) => part).join('')).toBe(text);
  expect(parts.every(([, part = '']) => part.length <= 32_000 && part.isWellFormed())).toBe(true);
});

const textFrame = (text: string, messageId = 'm1') =>
  createUpdateFrame('s"1', {
    sessionUpdate: 'agent_message_chunk',
    messageId,
    content: { type: 'text', text },
    _meta: { parley: { a: 1 } },
  });
const parse = (frame: Frame) => JSON.parse(joinChunks(frame.chunks));

test('frames of the same message fold into one valid notification', () => {
  const folded = ['a\n"', '\u2028', '\ud83d', '\ude00']
    .map((text) => textFrame(text))
    .reduce((a, b) => a.fold?.(b) as Frame);
  expect(joinChunks(folded.chunks)).toMatch(/^[^\n\u2028]+\n$/);
  expect(parse(folded)).toEqual({
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: 's"1',
      update: {
        sessionUpdate: 'agent_message_chunk',
        messageId: 'm1',
        content: { type: 'text', text: 'a\n"\u2028😀' },
        _meta: { parley: { a: 1 } },
      },
    },
  });
  validate('SessionNotification', parse(folded).params);
  expect(textFrame('a').fold?.(textFrame('b', 'm2'))).toBeUndefined();
});

test('content of a running call replaces earlier content that is still queued; other updates are kept', () => {
  const content = (text: string) => [{ type: 'content' as const, content: { type: 'text' as const, text } }];
  const progress = (toolCallId: string, text: string) =>
    createUpdateFrame('s', {
      ...{ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', content: content(text) },
    });
  const ended = createUpdateFrame('s', {
    sessionUpdate: 'tool_call_update',
    toolCallId: 'a',
    status: 'completed',
    content: content('end'),
  });
  const folded = progress('a', 'one').fold?.(progress('a', 'one two'));
  expect(parse(folded as Frame).params.update.content).toEqual(content('one two'));
  expect(progress('a', 'one').fold?.(progress('b', 'two'))).toBeUndefined();
  expect(progress('a', 'one').fold?.(ended)).toBeUndefined();
  expect(ended.fold).toBeUndefined();
});

test('encoding cost is linear in the number of deltas', () => {
  const cost = (count: number) =>
    measureEncoding(() => {
      const { encoder } = createEncoder();
      let queued: Frame | undefined;
      for (const event of streamText(
        'text',
        Array.from({ length: count }, () => 'word '),
      )) {
        for (const update of encoder.encode(event)) {
          const frame = createUpdateFrame('s', update);
          queued = queued?.fold?.(frame) ?? frame;
        }
      }
    });
  expect(cost(20_000)).toBeLessThan(cost(2000) * 10.5);
});
