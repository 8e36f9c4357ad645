import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import { type AssistantMessageEvent, createEmptyUsage, type ToolCall } from '../../src/protocol/index.ts';
import { expectGrammar, type Observation } from './contract.ts';

const model = { api: 'wire', provider: 'acme', id: 'one' };
const create = () => new MessageBuilder(model, 42);

function toObservation(events: AssistantMessageEvent[]): Observation {
  const last = events.at(-1)!;
  const message = last.type === 'done' ? last.message : last.type === 'error' ? last.error : last.partial;
  return { events, message, usages: new Map() };
}

describe('events', () => {
  test('every event carries the same message, with its keys in the documented order', () => {
    const builder = create();
    const start = builder.start();
    builder.startText();
    const delta = builder.appendText('hi');
    expect(start).toEqual({ type: 'start', partial: builder.message });
    expect(delta).toMatchObject({ type: 'text_delta', contentIndex: 0, delta: 'hi' });
    expect('partial' in delta && delta.partial).toBe(builder.message);
    builder.endText();
    expect(JSON.stringify(builder.finish('stop'))).toBe(
      `{"type":"done","reason":"stop","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"api":"wire","provider":"acme","model":"one","usage":${JSON.stringify(createEmptyUsage())},"stopReason":"stop","timestamp":42}}`,
    );
  });

  test('a failure puts errorMessage before the timestamp and keeps an unfinished block', () => {
    const builder = create();
    builder.startThinking();
    builder.appendThinking('hm');
    const event = builder.fail('aborted', 'Request was aborted');
    expect(event).toEqual({ type: 'error', reason: 'aborted', error: builder.message });
    expect(Object.keys(builder.message).slice(-3)).toEqual(['stopReason', 'errorMessage', 'timestamp']);
    expect(builder.message.content).toEqual([{ type: 'thinking', thinking: 'hm' }]);
    expect(builder.message.timestamp).toBe(42);
  });

  test('a call ends with its complete arguments, in the block of its events', () => {
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

  test('a call without argument text has empty arguments', () => {
    const builder = create();
    builder.startToolCall('c1', 'ls');
    builder.endToolCall();
    expect(builder.message.content[0]).toMatchObject({ arguments: {} });
  });

  test.each(['{"path":"a', '[1]', '"x"', 'null'])('rejects arguments that are not a JSON object: %s', (json) => {
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
    expectGrammar(toObservation(events));
    expect(builder.message.content[0]).toEqual({ type: 'toolCall', id: 'c1', name: 'bash', arguments: {} });
  });

  test('signatures are stored', () => {
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

describe('arguments of a streaming call', () => {
  const startCall = () => {
    const builder = create();
    builder.startToolCall('c', 'edit');
    return { builder, getArguments: () => (builder.message.content[0] as ToolCall).arguments };
  };

  test('contain partial strings but no partial numbers or literals', () => {
    const { builder, getArguments: shown } = startCall();
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

  test('are parsed again, into a new object, only when the text has grown by a quarter', () => {
    const { builder, getArguments: shown } = startCall();
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

  test('are parsed in time proportional to the text', () => {
    const { builder, getArguments: shown } = startCall();
    const objects = new Set<unknown>();
    let parsedLength = 0;
    builder.appendToolCall('{"text":"');
    for (let n = 0; n < 100_000; n++) {
      builder.appendToolCall('z');
      if (objects.has(shown())) continue;
      objects.add(shown());
      parsedLength += n;
    }
    expect(objects.size).toBeLessThan(50);
    expect(parsedLength).toBeLessThan(5.5 * 100_000);
  });

  test.each(['[1,2', 'null', '"text', 'nonsense', '{"a" 1 2 3', '}}}'])('stay empty when the text is %s', (text) => {
    const { builder, getArguments: shown } = startCall();
    builder.appendToolCall(text);
    expect(shown()).toEqual({});
    expect(builder.isToolCallComplete).toBe(false);
  });

  test('report whether they are complete', () => {
    const { builder } = startCall();
    expect(builder.isToolCallComplete).toBe(true);
    builder.appendToolCall('{"a":1');
    expect(builder.isToolCallComplete).toBe(false);
    builder.appendToolCall('}');
    expect(builder.isToolCallComplete).toBe(true);
    builder.endToolCall();
    expect(() => builder.isToolCallComplete).toThrow('No toolCall block is open');
  });

  test('invalid JSON is a malformed failure, which is retried', () => {
    const { builder } = startCall();
    builder.appendToolCall('{"a":');
    expect(() => builder.endToolCall()).toThrow(expect.objectContaining({ providerFailure: { kind: 'malformed' } }));
  });

  test('are always a prefix of the complete arguments', () => {
    const value = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 9 }), (args, size) => {
        const { builder, getArguments: shown } = startCall();
        const complete = JSON.parse(JSON.stringify(args)) as Record<string, unknown>;
        for (const piece of JSON.stringify(args).match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []) {
          builder.appendToolCall(piece);
          expect(isPrefix(shown(), complete)).toBe(true);
        }
        builder.endToolCall();
        expect(shown()).toEqual(complete);
      }),
    );
  });

  test('accept any text without throwing', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ \n1e-tnu0') })), (pieces) => {
        const { builder } = startCall();
        for (const piece of pieces) builder.appendToolCall(piece);
      }),
    );
  });
});

/** Whether `part` is a prefix of `whole`: strings and lists may be shorter, objects may lack keys. */
function isPrefix(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
  if (Array.isArray(part))
    return Array.isArray(whole) && part.length <= whole.length && part.every((item, n) => isPrefix(item, whole[n]));
  if (typeof part === 'object' && part !== null) {
    const object = whole as Record<string, unknown>;
    return Object.entries(part).every(([key, value]) => Object.hasOwn(object, key) && isPrefix(value, object[key]));
  }
  return Object.is(part, whole);
}

describe('usage', () => {
  test('is replaced by a new object only when it differs', () => {
    const builder = create();
    const first = builder.message.usage;
    const usage = { ...createEmptyUsage(), input: 3 };
    builder.setUsage(usage);
    const second = builder.message.usage;
    expect(first.input).toBe(0);
    expect(second).toEqual(usage);
    expect(Object.isFrozen(second) && Object.isFrozen(second.cost)).toBe(true);
    usage.input = 9;
    expect(builder.message.usage.input).toBe(3);
    builder.setUsage({ ...createEmptyUsage(), input: 3 });
    expect(builder.message.usage).toBe(second);
    builder.setUsage({ ...createEmptyUsage(), input: 3, cost: { ...createEmptyUsage().cost, total: 1 } });
    expect(builder.message.usage).not.toBe(second);
  });
});

describe('invalid use', () => {
  test('rejects two open blocks, a delta without a block, and an end inside a block', () => {
    const builder = create();
    expect(() => builder.appendText('x')).toThrow('No text block is open');
    builder.startText();
    expect(() => builder.startThinking()).toThrow('A thinking block began inside a text block');
    expect(() => builder.appendToolCall('x')).toThrow('No toolCall block is open');
    expect(() => builder.finish('stop')).toThrow('ended inside a text block');
  });
});

test('any sequence of blocks gives a valid stream', () => {
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
      expectGrammar(toObservation(events));
    }),
    { numRuns: 60 },
  );
});
