// createDigest: the digest gives the same state as the full path, without message texts.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDigest } from '../../../src/core/session/create-digest.ts';
import { readSpending, SPENDING_ENTRY } from '../../../src/core/session/read-spending.ts';
import { CHECKPOINT_ENTRY, QUEUE_ENTRY, restoreState, SHELL_ENTRY } from '../../../src/core/session/restore-state.ts';
import { readTriggeredRules } from '../../../src/core/session/rule-facet.ts';
import { countContextMessages, findFirstKeptIndex } from '../../../src/core/tree/context-path.ts';
import {
  bash,
  compactionBody,
  conversations,
  type createEntry,
  createPath,
  messageBody,
  text,
  user,
} from '../entries.ts';

const custom = (customType: string, data?: unknown) => ({ type: 'custom' as const, customType, data });
const rule = (...injectedRules: string[]) => ({ type: 'ttsr_injection' as const, injectedRules });
const queued = (id: string) =>
  custom(QUEUE_ENTRY, { op: 'add', id, kind: 'steer', message: user([text('hidden text')]) });
const model = { provider: 'test-provider', modelId: 'two' };
const stateEntries = fc.constantFrom(
  { type: 'thinking_level_change' as const, thinkingLevel: 'high' },
  { type: 'model_change' as const, ...model },
  rule('one', 'two'),
  rule('two'),
  custom(SPENDING_ENTRY, { tokens: 5 }),
  custom(CHECKPOINT_ENTRY, { model, thinkingLevel: 'low', queued: [], held: [], injectedRules: ['three'], spent: {} }),
  queued('q1'),
  { ...messageBody(user([text('hidden text')])), queueId: 'q1' },
  custom(SHELL_ENTRY, { id: 'h1', message: bash('ls', 'hidden text') }),
  { ...messageBody(bash('ls', 'hidden text')), queueId: 'h1' },
  compactionBody('e1', 'hidden text'),
);

test('for any conversation the digest restores the same state as the path', () => {
  fc.assert(
    fc.property(
      conversations,
      fc.array(fc.tuple(stateEntries, fc.nat()), { maxLength: 8 }),
      (conversation, additions) => {
        const bodies = conversation.map(({ id: _id, parentId: _parentId, ...body }) => body) as Parameters<
          typeof createEntry
        >[0][];
        for (const [entry, at] of additions) bodies.splice(at % (bodies.length + 1), 0, entry);
        const fullPath = createPath(...bodies);
        const path = fullPath.slice(findFirstKeptIndex(fullPath));
        const digest = createDigest(path);
        const state = restoreState(path);
        expect(digest === undefined).toBe(state.queued.length + state.held.length > 0);
        if (!digest) return;
        expect(restoreState([digest])).toEqual(state);
        expect(countContextMessages([digest])).toBe(countContextMessages(path));
        expect(readTriggeredRules(digest)).toEqual([...new Set(path.flatMap(readTriggeredRules))]);
        expect(readSpending([digest])).toEqual(readSpending(path));
        expect(createDigest([digest])).toEqual(digest);
        expect(JSON.parse(JSON.stringify(digest))).toEqual(digest);
      },
    ),
    { numRuns: 300 },
  );
});

test('there is no digest while messages wait to be delivered', () => {
  expect(createDigest(createPath(user('one'), queued('q')))).toBeUndefined();
  const held = custom(SHELL_ENTRY, { id: 'h', message: bash('ls', 'out') });
  expect(createDigest(createPath(user('one'), held))).toBeUndefined();
});
