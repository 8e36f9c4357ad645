// Where a conversation may be cut, and that nothing after the cut is lost.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCut } from '../../../src/core/compaction/cut.ts';
import { estimateTokens } from '../../../src/core/compaction/tokens.ts';
import { toModelMessages } from '../../../src/core/context/to-model.ts';
import { messageOf, messagesOf } from '../../../src/core/tree/context-path.ts';
import { type ModelMessage, type SessionEntry, textOf } from '../../../src/protocol/index.ts';
import { refusals } from '../../support/strict-provider.ts';
import { assistant, bash, call, compacted, conversations, line, placed, result, text, user } from '../entries.ts';

const long = (name: string) => `${name} ${'x'.repeat(80)}`;
const prompt = (name: string) => user([text(long(name))]);

describe('the cut', () => {
  test('everything fits: there is none', () => {
    expect(findCut(line(prompt('a'), assistant(long('b'))), 20_000)).toBeUndefined();
    expect(findCut([], 10)).toBeUndefined();
  });

  test('falls before a prompt: what stands before it is summarised, nothing is split', () => {
    const path = line(prompt('a'), assistant(long('b')), prompt('c'), assistant(long('d')));
    expect(findCut(path, 40)).toEqual({
      firstKeptEntryId: 'e2',
      summarised: path.slice(0, 2).flatMap(messageOf),
      turnPrefix: [],
      previousSummary: undefined,
      previousDetails: undefined,
    });
  });

  test('keeps so many messages when they are counted, and more where fewer could not stand by themselves', () => {
    const path = line(prompt('a'), assistant(long('b')), prompt('c'), assistant([call('1')]), result('1', 'd'));
    const keeping = (count: number) => findCut(path, count, () => 1)?.firstKeptEntryId;
    expect([2, 3, 4].map(keeping)).toEqual(['e3', 'e2', 'e1']);
    expect([5, 6].map(keeping)).toEqual([undefined, undefined]);
  });

  test('splits a turn that is too long, and never stands before a tool result', () => {
    const path = line(
      prompt('a'),
      assistant(long('b')),
      prompt('c'),
      assistant([call('1'), call('2')], { stopReason: 'toolUse' }),
      result('1', long('d')),
      result('2', long('e')),
      assistant(long('f')),
    );
    // Enough is kept with the results alone, but they cannot stand first.
    const cut = findCut(path, 45);
    expect(cut?.firstKeptEntryId).toBe('e6');
    expect(cut?.summarised).toEqual(path.slice(0, 2).flatMap(messageOf));
    expect(cut?.turnPrefix).toEqual(path.slice(2, 6).flatMap(messageOf));
  });

  test('does not come between a call and a result that stands behind somebody else’s words', () => {
    const path = line(
      prompt('a'),
      assistant([call('1')], { stopReason: 'toolUse' }),
      { type: 'custom_message', customType: 'note', content: long('said meanwhile'), display: true },
      result('1', long('b')),
      assistant(long('c')),
    );
    expect(findCut(path, 30)?.firstKeptEntryId).toBe('e4');
    // Enough is kept from the other words on, which could stand first if no result came behind them.
    expect(findCut(path, 60)?.firstKeptEntryId).toBe('e4');
  });

  test('leaves entries that are no messages with what follows them', () => {
    const path = line(
      prompt('a'),
      assistant(long('b')),
      { type: 'model_change', provider: 'house', modelId: 'two' },
      { type: 'label', targetId: 'e0', label: 'here' },
      prompt('c'),
      assistant(long('d')),
    );
    expect(findCut(path, 40)?.firstKeptEntryId).toBe('e2');
  });

  test('nothing but changes before what is kept: there is none', () => {
    const path = line({ type: 'model_change', provider: 'house', modelId: 'two' }, prompt('c'), assistant(long('d')));
    expect(findCut(path, 40)).toBeUndefined();
  });

  test('may stand before a command of the user or a summary of another branch', () => {
    const path = line(prompt('a'), assistant('b'), bash('ls', long('c')), assistant(long('d')));
    expect(findCut(path, 40)).toMatchObject({ firstKeptEntryId: 'e2', turnPrefix: [] });
    const branched = line(
      prompt('a'),
      { type: 'branch_summary', fromId: 'root', summary: long('c') },
      assistant(long('d')),
    );
    expect(findCut(branched, 40)).toMatchObject({ firstKeptEntryId: 'e1', turnPrefix: [] });
  });

  test('a result that is too long by itself, last of all, leaves nothing to cut', () => {
    const path = line(prompt('a'), assistant([call('1')], { stopReason: 'toolUse' }), result('1', long('b')));
    expect(findCut(path, 10)).toBeUndefined();
  });

  test('carries the summary and details of the compaction before on, and begins where that one kept', () => {
    const details = { readFiles: ['a'] };
    const path = line(
      prompt('a'),
      assistant(long('b')),
      prompt('c'),
      assistant(long('d')),
      compacted('e2', 'first summary', details),
      prompt('e'),
      assistant(long('f')),
    );
    const cut = findCut(path, 40);
    expect(cut).toMatchObject({ firstKeptEntryId: 'e5', previousSummary: 'first summary', previousDetails: details });
    expect(cut?.summarised).toEqual([...messageOf(path[2]!), ...messageOf(path[3]!)]);
  });

  test('what an older compaction kept is not there any more: only what came after it counts', () => {
    const path = line(
      prompt('a'),
      compacted('gone'),
      prompt('b'),
      assistant(long('c')),
      prompt('d'),
      assistant(long('e')),
    );
    expect(findCut(path, 40)?.summarised).toEqual(path.slice(2, 4).flatMap(messageOf));
  });
});

describe('any conversation, cut anywhere, again and again', () => {
  const keeps = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 4 });

  test('leaves a history that the strictest provider takes, with every word of the user after the cut', () => {
    fc.assert(
      fc.property(conversations, keeps, (entries, budgets) => {
        let path = entries;
        for (const budget of budgets) {
          const cut = findCut(path, budget);
          if (!cut) continue;
          const at = path.findIndex((entry) => entry.id === cut.firstKeptEntryId);
          expect(at).toBeGreaterThan(0);
          const after = path.slice(at).filter((entry) => entry.type !== 'compaction');
          path = [...path, placed(compacted(cut.firstKeptEntryId), `k${path.length}`, path.at(-1)!.id)];
          const history = toModelMessages(messagesOf(path));
          expect(refusals(history)).toEqual([]);
          expect(wordsOf(history).slice(1)).toEqual(wordsOf(toModelMessages(after.flatMap(messageOf))).filter(isSaid));
        }
      }),
      { numRuns: 400 },
    );
  });

  test('divides what was said: summary, beginning of the turn, rest; results stay with their calls', () => {
    fc.assert(
      fc.property(conversations, fc.integer({ min: 1, max: 120 }), (path, budget) => {
        const cut = findCut(path, budget);
        if (!cut) return;
        const at = path.findIndex((entry) => entry.id === cut.firstKeptEntryId);
        expect([...cut.summarised, ...cut.turnPrefix]).toEqual(path.slice(0, at).flatMap(messageOf));
        const kept = path.slice(at).flatMap(messageOf);
        const calls = kept
          .flatMap((m) => (m.role === 'assistant' ? m.content : []))
          .map((b) => ('id' in b ? b.id : ''));
        for (const message of kept) if (message.role === 'toolResult') expect(calls).toContain(message.toolCallId);
        expect(messageOf(firstSpoken(path, at))[0]?.role).not.toBe('toolResult');
      }),
      { numRuns: 400 },
    );
  });

  test('is where enough is kept, or at the first place after it where no result loses its call', () => {
    fc.assert(
      fc.property(conversations, fc.integer({ min: 1, max: 120 }), (path, budget) => {
        const weigh = (from: number) =>
          path
            .slice(from)
            .flatMap(messageOf)
            .reduce((sum, message) => sum + estimateTokens(message), 0);
        const crossing = path.findLastIndex((_, at) => weigh(at) >= budget);
        const places = path.map((_, at) => at).filter((at) => at >= crossing && isWhole(path, at));
        const cut = findCut(path, budget);
        if (!cut) {
          const before = path.slice(0, places[0] ?? 0).flatMap(messageOf);
          expect(crossing <= 0 || before.length === 0).toBe(true);
          return;
        }
        const kept = path.findIndex((entry) => entry.id === cut.firstKeptEntryId);
        expect(path.indexOf(firstSpoken(path, kept))).toBe(places[0]);
      }),
      { numRuns: 400 },
    );
  });
});

/** A message stands here, and every result from here on has its call from here on. */
function isWhole(path: readonly SessionEntry[], at: number): boolean {
  if (messageOf(path[at]!).length === 0) return false;
  const rest = path.slice(at).flatMap(messageOf);
  const calls = rest.flatMap((m) => (m.role === 'assistant' ? m.content : [])).map((b) => ('id' in b ? b.id : ''));
  return rest.every((m) => m.role !== 'toolResult' || calls.includes(m.toolCallId));
}

function firstSpoken(path: readonly SessionEntry[], from: number): SessionEntry {
  return path.slice(from).find((entry) => messageOf(entry).length > 0) as SessionEntry;
}

function wordsOf(history: readonly ModelMessage[]): string[] {
  return history.flatMap((message) => (message.role === 'user' ? [textOf(message.content)] : []));
}

/** Not what stands for a lost beginning. */
function isSaid(words: string): boolean {
  return words !== '(The beginning of this conversation is not available.)';
}
