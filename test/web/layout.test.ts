// Rows, positions, diffs, the branch tree and the usage of a session.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConversationRows, findResult } from '../../web/src/conversation/conversation-rows.ts';
import { countChanges, findDifference, pairLines, parseDiff } from '../../web/src/conversation/numbered-diff.ts';
import { RowGeometry } from '../../web/src/conversation/row-geometry.ts';
import { type EntryTree, layOutTree, listPathEntries } from '../../web/src/panels/tree-layout.ts';
import { collectUsage, roundUpNicely } from '../../web/src/panels/usage-series.ts';
import { type Conversation, EMPTY_CONVERSATION } from '../../web/src/store/conversation.ts';
import { assistant, toolResult, user } from './frames.ts';

describe('rows of a conversation', () => {
  const call = { type: 'toolCall' as const, id: 't1', name: 'bash', arguments: { command: 'ls' } };
  const answer = { ...assistant('Hello'), content: [{ type: 'text' as const, text: 'Hello' }, call] };
  const build = (fields: Partial<Conversation>) =>
    new ConversationRows(() => 0)
      .build({ ...EMPTY_CONVERSATION, ...fields })
      .rows.map(({ key, kind }) => `${kind} ${key}`);

  test('a result is shown in the card of its call, and alone if the call is unknown', () => {
    const messages = [user('Hi'), answer, toolResult('t1', 'out')];
    expect(build({ messages })).toEqual(['message m0', 'text m1.0.0', 'call m1.1']);
    expect(build({ messages: [user('Hi'), toolResult('t1', 'out')] })).toEqual(['message m0', 'message m1']);
    const conversation = { ...EMPTY_CONVERSATION, messages };
    expect(findResult(conversation, 1, 't1')).toBe(messages[2]);
    expect(findResult(conversation, 1, 't2')).toBeUndefined();
  });

  test('the keys of a streamed message stay the same when it is complete', () => {
    const open = build({ messages: [user('Hi')], openMessage: answer });
    expect(open).toEqual(build({ messages: [user('Hi'), answer] }));
  });

  test('messages that are not loaded are gaps; notices come before the message at their position', () => {
    const notices = [{ id: 1, position: 1, level: 'info' as const, text: 'N' }];
    expect(build({ messages: [undefined, user('a')], notices })).toEqual(['gap g0', 'notice n1', 'message m1']);
    expect(build({ messages: [], notices: [{ ...notices[0]!, position: 5 }] })).toEqual([]);
  });

  test('an answer without content says that it waits, a failed one says why', () => {
    expect(build({ openMessage: assistant('') })).toEqual(['waiting m0.w']);
    const failed = { ...assistant('x'), stopReason: 'error' as const, errorMessage: 'E' };
    expect(build({ messages: [failed] })).toEqual(['text m0.0.0', 'end m0.e']);
  });

  test('rows of messages that did not change are the same objects', () => {
    const rows = new ConversationRows(() => 0);
    const conversation = { ...EMPTY_CONVERSATION, messages: [answer] };
    const first = rows.build(conversation).rows[0];
    expect(rows.build({ ...conversation, messages: [answer, user('more')] }).rows[0]).toBe(first);
  });

  test('a long text is parsed in several steps', () => {
    let time = 0;
    const rows = new ConversationRows(() => (time += 5));
    const conversation = { ...EMPTY_CONVERSATION, messages: [assistant('A paragraph.\n\n'.repeat(10_000))] };
    const counts: number[] = [];
    for (let step = rows.build(conversation); ; step = rows.build(conversation)) {
      counts.push(step.rows.length);
      if (!step.hasMore) break;
    }
    expect(counts.length).toBeGreaterThan(3);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
  });
});

describe('positions of rows', () => {
  test('offsets are the sums of measured and estimated heights', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer({ min: 1, max: 500 }))), fc.nat(10_000), (heights, position) => {
        const geometry = new RowGeometry(() => 40);
        geometry.setKeys(heights.map((_, at) => `k${at}`));
        geometry.setHeights(heights.flatMap((height, at) => (height === null ? [] : [[`k${at}`, height] as const])));
        const sums = [0];
        for (const height of heights) sums.push((sums.at(-1) ?? 0) + (height ?? 40));
        expect(heights.map((_, at) => geometry.getOffset(at))).toEqual(sums.slice(0, -1));
        expect(geometry.total).toBe(sums.at(-1));
        if (heights.length === 0) return;
        const found = geometry.findRow(position);
        const expected = sums.slice(0, -1).findLastIndex((sum) => sum <= position);
        expect(found).toBe(expected);
        const { start, end } = geometry.findWindow(position, 300, 0);
        expect(start).toBe(found);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(heights.length);
      }),
    );
  });

  test('heights are kept when rows are added, and forgotten when the width changes', () => {
    const geometry = new RowGeometry(() => 10);
    geometry.setKeys(['b']);
    expect(geometry.setHeights([['b', 70]])).toBe(true);
    expect(geometry.setHeights([['b', 70]])).toBe(false);
    geometry.setKeys(['a', 'b', 'c']);
    expect([geometry.getOffset(1), geometry.getOffset(2), geometry.total]).toEqual([10, 80, 90]);
    geometry.clearHeights();
    expect(geometry.total).toBe(30);
  });
});

describe('diffs', () => {
  const lines = parseDiff([' 1 same', '-2 old', '+2 new', '+3 more', ' 3 next', '   ...'].join('\n'));

  test('lines have the numbers of both files', () => {
    expect(lines).toEqual([
      { kind: 'same', oldNumber: 1, newNumber: 1, text: 'same' },
      { kind: 'removed', oldNumber: 2, text: 'old' },
      { kind: 'added', newNumber: 2, text: 'new' },
      { kind: 'added', newNumber: 3, text: 'more' },
      { kind: 'same', oldNumber: 3, newNumber: 4, text: 'next' },
      { kind: 'skipped' },
    ]);
    expect(countChanges(lines)).toEqual({ added: 2, removed: 1 });
  });

  test('removed lines stand beside the added ones', () => {
    const pairs = pairLines(lines).map((pair) =>
      pair.kind === 'change' ? [pair.removed?.text, pair.added?.text] : pair.kind,
    );
    expect(pairs).toEqual(['same', ['old', 'new'], [undefined, 'more'], 'same', 'skipped']);
  });

  test('a change with very many parts is arranged in one pass', () => {
    const numbers = Array.from({ length: 3_000 }, (_, at) => at + 1);
    const many = parseDiff(numbers.map((at) => `-${at} a\n+${at} b\n ${at} same`).join('\n'));
    let reads = 0;
    const counted = new Proxy(many, {
      get(target, key, receiver) {
        reads++;
        return Reflect.get(target, key, receiver);
      },
    });
    expect(pairLines(counted)).toHaveLength(6_000);
    expect(reads).toBeLessThan(20 * many.length);
  });

  test('the part that differs is found; different lines have none', () => {
    expect(findDifference('const a = 1;', 'const b = 1;')).toEqual({ start: 6, end: 7 });
    expect(findDifference('return x', 'import y')).toBeUndefined();
    expect(findDifference('a 😀 long enough', 'a 😁 long enough')).toEqual({ start: 2, end: 4 });
  });
});

describe('the branch tree', () => {
  const message = (id: string, parentId: string | null, content: object) => ({
    ...{ type: 'message' as const, id, parentId, timestamp: '2026-01-02T03:04:05Z' },
    message: content as never,
  });
  const node = (id: string, parentId: string | null, content: object, ...children: EntryTree[]): EntryTree => ({
    entry: message(id, parentId, content),
    children,
  });
  const tree = [
    node(
      ...(['a', null, user('First')] as const),
      node(
        ...(['b', 'a', assistant('Answer')] as const),
        node('c', 'b', user('Left'), node('d', 'c', assistant('On the left'))),
        node('e', 'b', user('Right'), node('f', 'e', assistant('On the right'))),
      ),
    ),
  ];

  test('the current path is the first lane, and other branches come before its continuation', () => {
    expect(layOutTree(tree, 'd')).toEqual([
      expect.objectContaining({
        text: 'First',
        prompt: 'First',
        lane: 0,
        parent: -1,
        answers: 1,
        lastEntryId: 'b',
        isOnPath: true,
      }),
      expect.objectContaining({ text: 'Right', lane: 1, parent: 0, lastEntryId: 'f', isOnPath: false, isLeaf: false }),
      expect.objectContaining({ text: 'Left', lane: 0, parent: 0, lastEntryId: 'd', isOnPath: true, isLeaf: true }),
    ]);
    expect(layOutTree(tree, 'f').map(({ text, lane }) => [text, lane])).toEqual([
      ['First', 0],
      ['Left', 1],
      ['Right', 0],
    ]);
  });

  test('the entries of the path are in order', () => {
    expect(listPathEntries(tree, 'f').map(({ id }) => id)).toEqual(['a', 'b', 'e', 'f']);
  });

  test('a conversation of 20,000 entries does not exceed the stack', () => {
    let deep = node('n20000', 'n19999', assistant('end'));
    for (let at = 19_999; at >= 0; at--) {
      deep = node(`n${at}`, at === 0 ? null : `n${at - 1}`, at % 2 === 0 ? user(`${at}`) : assistant('x'), deep);
    }
    expect(layOutTree([deep], 'n20000')).toHaveLength(10_000);
  });
});

describe('usage', () => {
  const turn = (input: number, cost: number) => ({
    ...{ type: 'message' as const, id: 'x', parentId: null, timestamp: '' },
    message: {
      ...assistant('x'),
      usage: { ...assistant('x').usage, input, output: 5, cost: { total: cost } },
    } as never,
  });

  test('one point for each turn, with the cost so far', () => {
    const compaction = { type: 'compaction' as const, id: 'c', parentId: null, timestamp: '' } as never;
    const points = collectUsage([turn(100, 0.5), compaction, turn(20, 0.25)]);
    expect(points).toEqual([
      expect.objectContaining({ firstTurn: 1, context: 105, cost: 0.5, totalCost: 0.5, isAfterCompaction: false }),
      expect.objectContaining({ firstTurn: 2, context: 25, cost: 0.25, totalCost: 0.75, isAfterCompaction: true }),
    ]);
  });

  test('many turns share points; nothing is lost', () => {
    const points = collectUsage(Array.from({ length: 1000 }, () => turn(1, 0.001)));
    expect(points.length).toBeLessThanOrEqual(80);
    expect(points.reduce((sum, point) => sum + point.input, 0)).toBe(1000);
    expect(points.at(-1)).toMatchObject({ lastTurn: 1000, totalCost: expect.closeTo(1) });
  });

  test('axes end at a round number', () => {
    expect([0, 3, 7, 12, 26, 99, 1234].map(roundUpNicely)).toEqual([1, 5, 10, 20, 50, 100, 2000]);
  });
});
