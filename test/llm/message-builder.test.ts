import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageBuilder } from '../../src/llm/message-builder.ts';
import { type AssistantMessageEvent, noUsage } from '../../src/protocol/index.ts';
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

  test('arguments stay empty until their JSON is whole', () => {
    const builder = create();
    builder.startToolCall('c1', 'read');
    builder.appendToolCall('{"path":"a');
    expect(builder.message.content[0]).toEqual({ type: 'toolCall', id: 'c1', name: 'read', arguments: {} });
    builder.appendToolCall('.txt"}');
    const end = builder.endToolCall();
    expect(end).toMatchObject({ type: 'toolcall_end', contentIndex: 0 });
    expect(end.type === 'toolcall_end' && end.toolCall).toBe(builder.message.content[0]);
    expect(builder.message.content[0]).toMatchObject({ arguments: { path: 'a.txt' } });
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
    const events = [builder.start(), builder.startToolCall('c1', 'read'), builder.appendToolCall('{"pa')];
    events.push(builder.endToolCall({ cut: true }), builder.finish('length'));
    expectGrammar(seen(events));
    expect(builder.message.content[0]).toMatchObject({ arguments: {} });
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
