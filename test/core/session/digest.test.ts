// A digest says of a conversation what the conversation says of itself, without its words.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf } from '../../../src/core/session/digest.ts';
import { CHECKPOINT_ENTRY, QUEUE_ENTRY, restored, SHELL_ENTRY } from '../../../src/core/session/restored.ts';
import { actedIn } from '../../../src/core/session/rules.ts';
import { SPENT_ENTRY, spentIn } from '../../../src/core/session/spent.ts';
import { countOf, firstKept } from '../../../src/core/tree/context-path.ts';
import { bash, compacted, conversations, line, type placed, said, text, user } from '../entries.ts';

const custom = (customType: string, data?: unknown) => ({ type: 'custom' as const, customType, data });
const rule = (...injectedRules: string[]) => ({ type: 'ttsr_injection' as const, injectedRules });
const queued = (id: string) =>
  custom(QUEUE_ENTRY, { op: 'add', id, kind: 'steer', message: user([text('hidden words')]) });
const model = { provider: 'house', modelId: 'two' };
const marks = fc.constantFrom(
  { type: 'thinking_level_change' as const, thinkingLevel: 'high' },
  { type: 'model_change' as const, ...model },
  rule('one', 'two'),
  rule('two'),
  custom(SPENT_ENTRY, { tokens: 5 }),
  custom(CHECKPOINT_ENTRY, { model, thinkingLevel: 'low', queued: [], held: [], injectedRules: ['three'], spent: {} }),
  queued('q1'),
  { ...said(user([text('hidden words')])), queueId: 'q1' },
  custom(SHELL_ENTRY, { id: 'h1', message: bash('ls', 'hidden words') }),
  { ...said(bash('ls', 'hidden words')), queueId: 'h1' },
  compacted('e1', 'hidden words'),
);

test('any conversation: whoever goes on with its digest finds what is in it', () => {
  fc.assert(
    fc.property(conversations, fc.array(fc.tuple(marks, fc.nat()), { maxLength: 8 }), (spoken, added) => {
      const bodies = spoken.map(({ id: _id, parentId: _parentId, ...body }) => body) as Parameters<typeof placed>[0][];
      for (const [mark, at] of added) bodies.splice(at % (bodies.length + 1), 0, mark);
      const whole = line(...bodies);
      const path = whole.slice(firstKept(whole));
      const digest = digestOf(path);
      const state = restored(path);
      expect(digest === undefined).toBe(state.queued.length + state.held.length > 0);
      if (!digest) return;
      expect(restored([digest])).toEqual(state);
      expect(countOf([digest])).toBe(countOf(path));
      expect(actedIn(digest)).toEqual([...new Set(path.flatMap(actedIn))]);
      expect(spentIn([digest])).toEqual(spentIn(path));
      expect(digestOf([digest])).toEqual(digest);
      expect(JSON.parse(JSON.stringify(digest))).toEqual(digest);
    }),
    { numRuns: 300 },
  );
});

test('what waits to be delivered is not put into other words', () => {
  expect(digestOf(line(user('one'), queued('q')))).toBeUndefined();
  const held = custom(SHELL_ENTRY, { id: 'h', message: bash('ls', 'out') });
  expect(digestOf(line(user('one'), held))).toBeUndefined();
});
