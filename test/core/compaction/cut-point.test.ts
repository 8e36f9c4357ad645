// findCutPoint: where a conversation is cut, and that nothing after the cut is lost.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCutPoint } from '../../../src/core/compaction/cut-point.ts';
import { estimateTokens } from '../../../src/core/compaction/tokens.ts';
import { toModelMessages } from '../../../src/core/context/to-model-messages.ts';
import { buildContextMessages, entryToMessages } from '../../../src/core/tree/context-path.ts';
import { extractText, type ModelMessage, type SessionEntry } from '../../../src/protocol/index.ts';
import { findHistoryErrors } from '../../support/history-check.ts';
import {
  assistant,
  bash,
  call,
  compactionBody,
  conversations,
  createEntry,
  createPath,
  result,
  text,
  user,
} from '../entries.ts';

const long = (name: string) => `${name} ${'x'.repeat(80)}`;
const prompt = (name: string) => user([text(long(name))]);

describe('findCutPoint', () => {
  test('returns undefined if everything fits', () => {
    expect(findCutPoint(createPath(prompt('a'), assistant(long('b'))), 20_000)).toBeUndefined();
    expect(findCutPoint([], 10)).toBeUndefined();
  });

  test('cuts before a prompt: earlier messages are summarised and no turn is split', () => {
    const path = createPath(prompt('a'), assistant(long('b')), prompt('c'), assistant(long('d')));
    expect(findCutPoint(path, 40)).toEqual({
      firstKeptEntryId: 'e2',
      messagesToSummarize: path.slice(0, 2).flatMap(entryToMessages),
      turnPrefixMessages: [],
      previousSummary: undefined,
      previousDetails: undefined,
    });
  });

  test('keeps the given number of messages, or more if a tool result would lose its call', () => {
    const path = createPath(prompt('a'), assistant(long('b')), prompt('c'), assistant([call('1')]), result('1', 'd'));
    const firstKeptId = (count: number) => findCutPoint(path, count, () => 1)?.firstKeptEntryId;
    expect([2, 3, 4].map(firstKeptId)).toEqual(['e3', 'e2', 'e1']);
    expect([5, 6].map(firstKeptId)).toEqual([undefined, undefined]);
  });

  test('splits a turn that is too long, but never before a tool result', () => {
    const path = createPath(
      prompt('a'),
      assistant(long('b')),
      prompt('c'),
      assistant([call('1'), call('2')], { stopReason: 'toolUse' }),
      result('1', long('d')),
      result('2', long('e')),
      assistant(long('f')),
    );
    // The results alone would be enough to keep, but a result must not come first.
    const cut = findCutPoint(path, 45);
    expect(cut?.firstKeptEntryId).toBe('e6');
    expect(cut?.messagesToSummarize).toEqual(path.slice(0, 2).flatMap(entryToMessages));
    expect(cut?.turnPrefixMessages).toEqual(path.slice(2, 6).flatMap(entryToMessages));
  });

  test('does not separate a call from its result if a custom message is between them', () => {
    const path = createPath(
      prompt('a'),
      assistant([call('1')], { stopReason: 'toolUse' }),
      { type: 'custom_message', customType: 'note', content: long('note'), display: true },
      result('1', long('b')),
      assistant(long('c')),
    );
    expect(findCutPoint(path, 30)?.firstKeptEntryId).toBe('e4');
    // The custom message would be enough to keep, and could come first if no result followed it.
    expect(findCutPoint(path, 60)?.firstKeptEntryId).toBe('e4');
  });

  test('keeps entries without a message together with the entry after them', () => {
    const path = createPath(
      prompt('a'),
      assistant(long('b')),
      { type: 'model_change', provider: 'test-provider', modelId: 'two' },
      { type: 'label', targetId: 'e0', label: 'here' },
      prompt('c'),
      assistant(long('d')),
    );
    expect(findCutPoint(path, 40)?.firstKeptEntryId).toBe('e2');
  });

  test('returns undefined if only entries without a message would be cut', () => {
    const path = createPath(
      { type: 'model_change', provider: 'test-provider', modelId: 'two' },
      prompt('c'),
      assistant(long('d')),
    );
    expect(findCutPoint(path, 40)).toBeUndefined();
  });

  test('can cut before a shell command of the user or a branch summary', () => {
    const path = createPath(prompt('a'), assistant('b'), bash('ls', long('c')), assistant(long('d')));
    expect(findCutPoint(path, 40)).toMatchObject({ firstKeptEntryId: 'e2', turnPrefixMessages: [] });
    const branched = createPath(
      prompt('a'),
      { type: 'branch_summary', fromId: 'root', summary: long('c') },
      assistant(long('d')),
    );
    expect(findCutPoint(branched, 40)).toMatchObject({ firstKeptEntryId: 'e1', turnPrefixMessages: [] });
  });

  test('returns undefined if the last entry is a tool result that is too long by itself', () => {
    const path = createPath(prompt('a'), assistant([call('1')], { stopReason: 'toolUse' }), result('1', long('b')));
    expect(findCutPoint(path, 10)).toBeUndefined();
  });

  test('passes on the previous summary and details, and starts at the first kept entry of the previous compaction', () => {
    const details = { readFiles: ['a'] };
    const path = createPath(
      prompt('a'),
      assistant(long('b')),
      prompt('c'),
      assistant(long('d')),
      compactionBody('e2', 'first summary', details),
      prompt('e'),
      assistant(long('f')),
    );
    const cut = findCutPoint(path, 40);
    expect(cut).toMatchObject({ firstKeptEntryId: 'e5', previousSummary: 'first summary', previousDetails: details });
    expect(cut?.messagesToSummarize).toEqual([...entryToMessages(path[2]!), ...entryToMessages(path[3]!)]);
  });

  test('starts after the previous compaction if its first kept entry is missing', () => {
    const path = createPath(
      prompt('a'),
      compactionBody('gone'),
      prompt('b'),
      assistant(long('c')),
      prompt('d'),
      assistant(long('e')),
    );
    expect(findCutPoint(path, 40)?.messagesToSummarize).toEqual(path.slice(2, 4).flatMap(entryToMessages));
  });
});

describe('for any conversation and repeated cuts', () => {
  const keepBudgets = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 4 });

  test('the history is accepted by the strictest provider and contains all user messages after the cut', () => {
    fc.assert(
      fc.property(conversations, keepBudgets, (entries, budgets) => {
        let path = entries;
        for (const budget of budgets) {
          const cut = findCutPoint(path, budget);
          if (!cut) continue;
          const at = path.findIndex((entry) => entry.id === cut.firstKeptEntryId);
          expect(at).toBeGreaterThan(0);
          const after = path.slice(at).filter((entry) => entry.type !== 'compaction');
          path = [...path, createEntry(compactionBody(cut.firstKeptEntryId), `k${path.length}`, path.at(-1)!.id)];
          const history = toModelMessages(buildContextMessages(path));
          expect(findHistoryErrors(history)).toEqual([]);
          expect(userTexts(history).slice(1)).toEqual(
            userTexts(toModelMessages(after.flatMap(entryToMessages))).filter(isNotPlaceholder),
          );
        }
      }),
      { numRuns: 400 },
    );
  });

  test('every message is summarised, in the turn prefix or kept, and results stay with their calls', () => {
    fc.assert(
      fc.property(conversations, fc.integer({ min: 1, max: 120 }), (path, budget) => {
        const cut = findCutPoint(path, budget);
        if (!cut) return;
        const at = path.findIndex((entry) => entry.id === cut.firstKeptEntryId);
        expect([...cut.messagesToSummarize, ...cut.turnPrefixMessages]).toEqual(
          path.slice(0, at).flatMap(entryToMessages),
        );
        const kept = path.slice(at).flatMap(entryToMessages);
        const calls = kept
          .flatMap((m) => (m.role === 'assistant' ? m.content : []))
          .map((b) => ('id' in b ? b.id : ''));
        for (const message of kept) if (message.role === 'toolResult') expect(calls).toContain(message.toolCallId);
        expect(entryToMessages(findFirstMessageEntry(path, at))[0]?.role).not.toBe('toolResult');
      }),
      { numRuns: 400 },
    );
  });

  test('the cut is where enough is kept, or at the next entry at which no result loses its call', () => {
    fc.assert(
      fc.property(conversations, fc.integer({ min: 1, max: 120 }), (path, budget) => {
        const sumTokens = (from: number) =>
          path
            .slice(from)
            .flatMap(entryToMessages)
            .reduce((sum, message) => sum + estimateTokens(message), 0);
        const limitIndex = path.findLastIndex((_, at) => sumTokens(at) >= budget);
        const allowedCuts = path.map((_, at) => at).filter((at) => at >= limitIndex && canCutAt(path, at));
        const cut = findCutPoint(path, budget);
        if (!cut) {
          const before = path.slice(0, allowedCuts[0] ?? 0).flatMap(entryToMessages);
          expect(limitIndex <= 0 || before.length === 0).toBe(true);
          return;
        }
        const firstKept = path.findIndex((entry) => entry.id === cut.firstKeptEntryId);
        expect(path.indexOf(findFirstMessageEntry(path, firstKept))).toBe(allowedCuts[0]);
      }),
      { numRuns: 400 },
    );
  });
});

/** True if the entry has a message, and every result from here on has its call from here on. */
function canCutAt(path: readonly SessionEntry[], at: number): boolean {
  if (entryToMessages(path[at]!).length === 0) return false;
  const rest = path.slice(at).flatMap(entryToMessages);
  const calls = rest.flatMap((m) => (m.role === 'assistant' ? m.content : [])).map((b) => ('id' in b ? b.id : ''));
  return rest.every((m) => m.role !== 'toolResult' || calls.includes(m.toolCallId));
}

function findFirstMessageEntry(path: readonly SessionEntry[], from: number): SessionEntry {
  return path.slice(from).find((entry) => entryToMessages(entry).length > 0) as SessionEntry;
}

function userTexts(history: readonly ModelMessage[]): string[] {
  return history.flatMap((message) => (message.role === 'user' ? [extractText(message.content)] : []));
}

/** False for the placeholder of a missing first user message. */
function isNotPlaceholder(value: string): boolean {
  return value !== '(The beginning of this conversation is not available.)';
}
