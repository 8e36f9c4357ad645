import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import { type AssistantMessageEvent, noUsage, type ToolCall } from '../../src/protocol/index.ts';
import { expectGrammar, type Observation } from './contract.ts';

const model = { api: 'wire', provider: 'house', id: 'one' };
const create = () => new MessageBuilder(model, 42);

function seen(events: AssistantMessageEvent[]): Observation {
  const last = events.at(-1)!;
  const message = last.type === 'done' ? last.message : last.type === 'error' ? last.error : last.partial;
  return { events, message, usages: new Map() };
}

describe('what a builder says', () => {
  test('every event carries the one message, whose keys stand in the documented order', () => {
    const builder = create();
    const start = builder.start();
    builder.startText();
    const delta = builder.appendText('hi');
    expect(start).toEqual({ type: 'start', partial: builder.message });
    expect(delta).toMatchObject({ type: 'text_delta', contentIndex: 0, delta: 'hi' });
    expect('partial' in delta && delta.partial).toBe(builder.message);
    builder.endText();
    expect(JSON.stringify(builder.finish('stop'))).toBe(
      `{"type":"done","reason":"stop","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"api":"wire","provider":"house","model":"one","usage":${JSON.stringify(noUsage())},"stopReason":"stop","timestamp":42}}`,
    );
  });

  test('a failure puts its message before the timestamp and keeps an unfinished block', () => {
    const builder = create();
    builder.startThinking();
    builder.appendThinking('hm');
    const event = builder.fail('aborted', 'Request was aborted');
    expect(event).toEqual({ type: 'error', reason: 'aborted', error: builder.message });
    expect(Object.keys(builder.message).slice(-3)).toEqual(['stopReason', 'errorMessage', 'timestamp']);
    expect(builder.message.content).toEqual([{ type: 'thinking', thinking: 'hm' }]);
    expect(builder.message.timestamp).toBe(42);
  });

  test('a call ends with its whole arguments, in the block that its events carry', () => {
    const builder = create();
    builder.startToolCall('c1', 'read');
    builder.appendToolCall('{"path":"a');
    builder.appendToolCall('.txt"}');
    const end = builder.endToolCall();
    expect(end).toMatchObject({ type: 'toolcall_end', contentIndex: 0 });
    expect(end.type === 'toolcall_end' && end.toolCall).toBe(builder.message.content[0]);
    expect(builder.message.content[0]).toEqual({
      type: 'toolCall',
      id: 'c1',
      name: 'read',
      arguments: { path: 'a.txt' },
    });
  });

  test('a call without any argument text has no arguments', () => {
    const builder = create();
    builder.startToolCall('c1', 'ls');
    builder.endToolCall();
    expect(builder.message.content[0]).toMatchObject({ arguments: {} });
  });

  test.each(['{"path":"a', '[1]', '"x"', 'null'])('arguments that are no JSON object are refused: %s', (json) => {
    const builder = create();
    builder.startToolCall('c1', 'read');
    builder.appendToolCall(json);
    expect(() => builder.endToolCall()).toThrow(/arguments for the tool read/);
  });

  test('a call that the length limit cut off ends without arguments', () => {
    const builder = create();
    const events = [
      builder.start(),
      builder.startToolCall('c1', 'bash'),
      builder.appendToolCall('{"command":"rm -rf /'),
    ];
    events.push(builder.endToolCall({ cut: true }), builder.finish('length'));
    expectGrammar(seen(events));
    expect(builder.message.content[0]).toEqual({ type: 'toolCall', id: 'c1', name: 'bash', arguments: {} });
  });

  test('signatures are kept', () => {
    const builder = create();
    builder.startThinking();
    builder.endThinking('sig', true);
    builder.startText();
    builder.endText('t');
    builder.startToolCall('c', 'ls');
    builder.endToolCall({ thoughtSignature: 'g' });
    expect(builder.message.content).toEqual([
      { type: 'thinking', thinking: '', thinkingSignature: 'sig', redacted: true },
      { type: 'text', text: '', textSignature: 't' },
      { type: 'toolCall', id: 'c', name: 'ls', arguments: {}, thoughtSignature: 'g' },
    ]);
  });
});

describe('the arguments of a growing call', () => {
  const open = () => {
    const builder = create();
    builder.startToolCall('c', 'edit');
    return { builder, shown: () => (builder.message.content[0] as ToolCall).arguments };
  };

  test('show what has come: half a string its beginning, half a number or word nothing', () => {
    const { builder, shown } = open();
    const steps: [string, Record<string, unknown>][] = [
      ['{', {}],
      ['"path":"a', { path: 'a' }],
      ['.ts","lines":[1,23', { path: 'a.ts', lines: [1] }],
      ['4],"all":tr', { path: 'a.ts', lines: [1, 234] }],
      ['ue,"text":"x\\', { path: 'a.ts', lines: [1, 234], all: true, text: 'x' }],
      [
        'u00e9y","deep":{"a":[{"b":"c',
        { path: 'a.ts', lines: [1, 234], all: true, text: 'xéy', deep: { a: [{ b: 'c' }] } },
      ],
    ];
    for (const [piece, expected] of steps) {
      builder.appendToolCall(piece);
      expect(shown()).toEqual(expected);
    }
  });

  test('are looked at again only when the text has grown by a quarter, and are a new object then', () => {
    const { builder, shown } = open();
    builder.appendToolCall(`{"text":"${'x'.repeat(91)}`);
    const first = shown();
    for (let length = 101; length < 125; length++) {
      builder.appendToolCall('y');
      expect(shown()).toBe(first);
    }
    builder.appendToolCall('y');
    expect(shown()).not.toBe(first);
    expect(first).toEqual({ text: 'x'.repeat(91) });
    expect(shown()).toEqual({ text: `${'x'.repeat(91)}${'y'.repeat(25)}` });
  });

  test('cost in proportion to their text, however it is cut', () => {
    const { builder, shown } = open();
    const objects = new Set<unknown>();
    let read = 0;
    builder.appendToolCall('{"text":"');
    for (let n = 0; n < 100_000; n++) {
      builder.appendToolCall('z');
      if (objects.has(shown())) continue;
      objects.add(shown());
      read += n;
    }
    expect(objects.size).toBeLessThan(50);
    expect(read).toBeLessThan(5.5 * 100_000);
  });

  test.each(['[1,2', 'null', '"text', 'nonsense', '{"a" 1 2 3', '}}}'])(
    'stay as they are when the text is %s',
    (text) => {
      const { builder, shown } = open();
      builder.appendToolCall(text);
      expect(shown()).toEqual({});
      expect(builder.isToolCallWhole).toBe(false);
    },
  );

  test('tell whether they are whole', () => {
    const { builder } = open();
    expect(builder.isToolCallWhole).toBe(true);
    builder.appendToolCall('{"a":1');
    expect(builder.isToolCallWhole).toBe(false);
    builder.appendToolCall('}');
    expect(builder.isToolCallWhole).toBe(true);
    builder.endToolCall();
    expect(() => builder.isToolCallWhole).toThrow('No toolCall block is open');
  });

  test('are unreadable in a way that a retry can mend', () => {
    const { builder } = open();
    builder.appendToolCall('{"a":');
    expect(() => builder.endToolCall()).toThrow(expect.objectContaining({ failure: { kind: 'malformed' } }));
  });

  test('never hold anything that the whole arguments do not begin with', () => {
    const value = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 9 }), (args, size) => {
        const { builder, shown } = open();
        const whole = JSON.parse(JSON.stringify(args)) as Record<string, unknown>;
        for (const piece of JSON.stringify(args).match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []) {
          builder.appendToolCall(piece);
          expect(begins(shown(), whole)).toBe(true);
        }
        builder.endToolCall();
        expect(shown()).toEqual(whole);
      }),
    );
  });

  test('never hang on or throw at any text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ \n1e-tnu0') })), (pieces) => {
        const { builder } = open();
        for (const piece of pieces) builder.appendToolCall(piece);
      }),
    );
  });
});

/** Half of a value: strings and lists may be shorter, objects may lack keys. Lone surrogates are halves of a character. */
function begins(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
  if (Array.isArray(part))
    return Array.isArray(whole) && part.length <= whole.length && part.every((one, n) => begins(one, whole[n]));
  if (typeof part === 'object' && part !== null) {
    const known = whole as Record<string, unknown>;
    return Object.entries(part).every(([key, one]) => Object.hasOwn(known, key) && begins(one, known[key]));
  }
  return Object.is(part, whole);
}

describe('usage', () => {
  test('is replaced, never changed, and only when it differs', () => {
    const builder = create();
    const first = builder.message.usage;
    const given = { ...noUsage(), input: 3 };
    builder.setUsage(given);
    const second = builder.message.usage;
    expect(first.input).toBe(0);
    expect(second).toEqual(given);
    expect(Object.isFrozen(second) && Object.isFrozen(second.cost)).toBe(true);
    given.input = 9;
    expect(builder.message.usage.input).toBe(3);
    builder.setUsage({ ...noUsage(), input: 3 });
    expect(builder.message.usage).toBe(second);
    builder.setUsage({ ...noUsage(), input: 3, cost: { ...noUsage().cost, total: 1 } });
    expect(builder.message.usage).not.toBe(second);
  });
});

describe('what a builder refuses', () => {
  test('two blocks at once, growth of none, and an end inside a block', () => {
    const builder = create();
    expect(() => builder.appendText('x')).toThrow('No text block is open');
    builder.startText();
    expect(() => builder.startThinking()).toThrow('A thinking block began inside a text block');
    expect(() => builder.appendToolCall('x')).toThrow('No toolCall block is open');
    expect(() => builder.finish('stop')).toThrow('ended inside a text block');
  });
});

test('any sequence of blocks obeys the grammar', () => {
  const block = fc.oneof(
    fc.record({ kind: fc.constant('text' as const), deltas: fc.array(fc.string({ unit: 'binary' })) }),
    fc.record({ kind: fc.constant('thinking' as const), deltas: fc.array(fc.string({ unit: 'binary' })) }),
    fc.record({ kind: fc.constant('call' as const), args: fc.dictionary(fc.string(), fc.jsonValue()) }),
  );
  fc.assert(
    fc.property(fc.array(block), fc.boolean(), (blocks, fails) => {
      const builder = create();
      const events: AssistantMessageEvent[] = [builder.start()];
      for (const part of blocks) {
        if (part.kind === 'text') {
          events.push(builder.startText(), ...part.deltas.map((d) => builder.appendText(d)), builder.endText());
        } else if (part.kind === 'thinking') {
          events.push(builder.startThinking(), ...part.deltas.map((d) => builder.appendThinking(d)));
          events.push(builder.endThinking());
        } else {
          const pieces = JSON.stringify(part.args).match(/[\s\S]{1,7}/g) ?? [];
          events.push(builder.startToolCall('id', 'tool'), ...pieces.map((p) => builder.appendToolCall(p)));
          events.push(builder.endToolCall());
        }
      }
      events.push(fails ? builder.fail('error', 'broken') : builder.finish('stop'));
      expectGrammar(seen(events));
    }),
    { numRuns: 60 },
  );
});
