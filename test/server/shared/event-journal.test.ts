// The journal of a session: positions, folded deltas, limits.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { EventJournal, type JournalEvent } from '../../../src/server/shared/event-journal.ts';

const START = 1000;

function createDelta(contentIndex: number, delta: string, type = 'text_delta'): AgentEvent {
  const partial = { role: 'assistant', content: [] };
  return {
    type: 'message_update',
    message: partial,
    assistantMessageEvent: { type, contentIndex, delta, partial },
  } as unknown as AgentEvent;
}

const other: AgentEvent = { type: 'turn_start' };

/** Each event as its texts would be received: deltas of one block joined. */
function describe(events: readonly JournalEvent[]): string[] {
  const lines: string[] = [];
  for (const { event } of events) {
    if (event.type !== 'message_update') lines.push(event.type);
    else {
      const { type, contentIndex, delta } = event.assistantMessageEvent as {
        type: string;
        contentIndex: number;
        delta: string;
      };
      const key = `${type} ${contentIndex}: `;
      const last = lines.at(-1);
      if (last?.startsWith(key)) lines[lines.length - 1] = `${last}${delta}`;
      else lines.push(`${key}${delta}`);
    }
  }
  return lines;
}

const anyEvent = fc.oneof(
  fc.constant(other),
  fc
    .tuple(fc.integer({ min: 0, max: 1 }), fc.string(), fc.constantFrom('text_delta', 'thinking_delta'))
    .map(([index, text, type]) => createDelta(index, text, type)),
);

test('property: for each position, exactly the later events are read, without gaps in the numbers', () => {
  fc.assert(
    fc.property(
      fc.array(anyEvent, { maxLength: 40 }),
      fc.array(fc.constantFrom('a', 'b', undefined), { minLength: 40, maxLength: 40 }),
      (events, clients) => {
        const journal = new EventJournal(START);
        const all = events.map((event, i) => ({ event, position: journal.append(event, clients[i]) }));
        expect(all.map(({ position }) => position.seq)).toEqual(events.map((_, i) => START + 1 + i));
        for (let after = START; after <= START + events.length; after++) {
          const read = journal.readAfter(after) ?? [];
          expect(describe(read)).toEqual(describe(all.slice(after - START)));
          let expected = after + 1;
          for (const { position } of read) {
            expect(position.firstSeq ?? position.seq).toBe(expected);
            expected = position.seq + 1;
          }
          expect(expected).toBe(START + events.length + 1);
        }
      },
    ),
  );
});

test('a position before the first event or after the last one is not available', () => {
  const journal = new EventJournal(START);
  journal.append(other, undefined);
  expect(journal.readAfter(START - 1)).toBeUndefined();
  expect(journal.isBeforeStart(START - 1)).toBe(true);
  expect(journal.readAfter(START + 2)).toBeUndefined();
  expect(journal.isBeforeStart(START + 2)).toBe(false);
  expect(journal.readAfter(START + 1)).toEqual([]);
});

test('only the newest update of a tool is kept, because it contains the earlier ones', () => {
  const journal = new EventJournal(START);
  const update = (text: string): AgentEvent => ({
    type: 'tool_execution_update',
    ...{ toolCallId: 'c', toolName: 'bash', args: {} },
    partialResult: { content: [{ type: 'text', text }] },
  });
  for (const text of ['a', 'ab', 'abc']) journal.append(update(text), undefined);
  const [first, last] = [START + 1, START + 3];
  expect(journal.readAfter(START)).toEqual([{ event: update('abc'), position: { seq: last, firstSeq: first } }]);
  expect(journal.readAfter(START + 1)).toEqual([
    { event: update('abc'), position: { seq: last, firstSeq: first + 1 } },
  ]);
  expect(journal.readAfter(START + 2)).toEqual([{ event: update('abc'), position: { seq: last } }]);
});

test('an update of a tool does not stand for other events before it', () => {
  const journal = new EventJournal(START);
  const update = { type: 'tool_execution_update', toolCallId: 'c', toolName: 'bash', args: {} } as const;
  const event: AgentEvent = { ...update, partialResult: { content: [] } };
  journal.append(event, undefined);
  journal.append(other, undefined);
  journal.append(event, undefined);
  expect(journal.readAfter(START)).toEqual([
    { event: other, position: { seq: START + 2 } },
    { event, position: { seq: START + 3 } },
  ]);
});

test('the oldest events are dropped, and a position before them is reported as too old', () => {
  const journal = new EventJournal(0);
  for (let i = 0; i < 5000; i++) journal.append(other, undefined);
  expect(journal.readAfter(0)).toBeUndefined();
  expect(journal.isBeforeStart(0)).toBe(true);
  expect(journal.readAfter(5000 - 4096)).toHaveLength(4096);
});

test('large results count: the journal does not keep them without limit', () => {
  const journal = new EventJournal(0);
  const text = 'x'.repeat(1024 * 1024);
  for (let i = 0; i < 20; i++) {
    journal.append(
      {
        type: 'tool_execution_end',
        toolCallId: `${i}`,
        toolName: 'read',
        isError: false,
        result: { content: [{ type: 'text', text }] },
      },
      undefined,
    );
  }
  expect(journal.readAfter(0)).toBeUndefined();
  expect(journal.readAfter(19)).toHaveLength(1);
  journal.shrink();
  expect(journal.readAfter(19)).toBeUndefined();
});

test('the events of a run that is in progress are read from its start; after the run none', () => {
  const journal = new EventJournal(0);
  journal.append({ type: 'agent_start' }, undefined);
  journal.append(other, undefined);
  expect(journal.readCurrentRun().map(({ event }) => event.type)).toEqual(['agent_start', 'turn_start']);
  journal.append({ type: 'agent_settled', aborted: false }, undefined);
  expect(journal.readCurrentRun()).toEqual([]);
});
