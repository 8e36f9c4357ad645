// The branch tree: one row for each prompt, label and compaction, readable from one entry to thousands.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layOutTree } from '../../../src/core/export/tree-rows.ts';
import { answer, type Raw, renderPlain, toSession, toText, toTranscript, user } from './export-session.ts';

const text = (value: string): Raw => answer([{ type: 'text', text: value }], { stopReason: 'stop' });
const compaction: Raw = { type: 'compaction', summary: 's', firstKeptEntryId: 'e0', tokensBefore: 1 };
const layOut = (bodies: readonly Raw[], leaf = bodies.length - 1) => layOutTree(toTranscript(bodies), leaf);

test('one entry is one row', () => {
  expect(layOut([user('Hi')]).rows).toMatchObject([{ text: 'Hi', parent: -1, lane: 0, isCurrentLeaf: true }]);
});

test('side branches are in the next lane, before the continuation of the current branch', () => {
  const { rows } = layOut([
    user('One'),
    text('1'),
    user('Side'),
    text('2'),
    { ...user('Main'), parentId: 'e1' },
    text('3'),
    compaction,
    text('4'),
    { type: 'label', targetId: 'e5', label: 'good' },
  ]);
  const drawn = rows.map((row) => [row.kind, row.text, row.lane, row.parent, row.answers, row.isOnCurrentBranch]);
  expect(drawn).toEqual([
    ['prompt', 'One', 0, -1, 1, true],
    ['prompt', 'Side', 1, 0, 1, false],
    ['prompt', 'Main', 0, 0, 0, true],
    ['answer', '3', 0, 2, 1, true],
    ['compaction', 'Compaction', 0, 3, 1, true],
  ]);
  expect(rows.map((row) => row.isCurrentLeaf)).toEqual([false, false, false, false, true]);
  expect(rows[3]?.label).toBe('good');
});

test('two answers to one prompt are two rows', () => {
  const { rows } = layOut([user('One'), text('first'), { ...text('second'), parentId: 'e0' }]);
  expect(rows.map((row) => [row.text, row.lane])).toEqual([
    ['One', 0],
    ['first', 1],
    ['second', 0],
  ]);
});

test('2,000 entries without branches have at most 48 rows, and no prompt is lost', () => {
  const bodies = Array.from({ length: 2000 }, (_, at) => (at % 2 === 0 ? user(`Question ${at}`) : text('a')));
  const { rows, leftOut } = layOut(bodies);
  expect(rows.length).toBeLessThanOrEqual(48);
  expect(leftOut).toBe(0);
  expect(rows.reduce((sum, row) => sum + 1 + row.otherPrompts, 0)).toBe(1000);
  expect(rows.reduce((sum, row) => sum + row.answers, 0)).toBe(1000);
  expect(rows.at(-1)).toMatchObject({ text: 'Question 1998', isCurrentLeaf: true });
});

test('of thousands of branches the current one is drawn, and the others are counted', async () => {
  const bodies = [user('Root'), ...Array.from({ length: 3000 }, (_, at) => ({ ...user(`Try ${at}`), parentId: 'e0' }))];
  const { rows, leftOut } = layOut(bodies);
  expect(rows).toHaveLength(240);
  expect(leftOut).toBe(3001 - 240);
  expect(rows.at(-1)).toMatchObject({ text: 'Try 2999', isCurrentLeaf: true, lane: 0 });
  expect(toText(await renderPlain(toSession(bodies)))).toContain('2,761 rows of other branches are not drawn.');
});

test('in every tree each row comes after its parent, and exactly one row has the leaf', () => {
  const arbitraryTree = fc.array(fc.tuple(fc.nat(), fc.constantFrom('user', 'answer', 'compaction', 'label')), {
    minLength: 1,
    maxLength: 120,
  });
  fc.assert(
    fc.property(arbitraryTree, fc.nat(), (nodes, leafChoice) => {
      const bodies = nodes.map(([parent, kind], at) => ({
        ...(kind === 'user'
          ? user(`u${at}`)
          : kind === 'answer'
            ? text(`a${at}`)
            : kind === 'label'
              ? { type: 'label', targetId: 'e0', label: 'x' }
              : compaction),
        parentId: at === 0 ? null : `e${parent % at}`,
      }));
      const leaf = leafChoice % bodies.length;
      const { rows } = layOut(bodies, leaf);
      rows.forEach((row, at) => {
        expect(row.parent).toBeLessThan(at);
        if (row.parent >= 0) expect(rows[row.parent]?.lane).toBeLessThanOrEqual(row.lane);
      });
      expect(rows.filter((row) => row.isCurrentLeaf).length).toBeLessThanOrEqual(1);
      const prompts = nodes.filter(([, kind]) => kind === 'user').length;
      expect(
        rows
          .filter(({ kind }) => kind === 'prompt' || kind === 'stretch')
          .reduce((sum, row) => sum + 1 + row.otherPrompts, 0),
      ).toBe(prompts);
    }),
  );
});
