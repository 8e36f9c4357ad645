// Branch points, branch paths and the entry tree, including invalid trees.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson } from '../../../src/base/index.ts';
import { branchBefore, buildTree, listBranchPoints } from '../../../src/core/tree/branching.ts';
import type { EntryTree, SessionEntry } from '../../../src/protocol/index.ts';
import { assistant, createEntry, createPath, text, user } from '../entries.ts';

const prompt = (value: string) => user([text(value)]);
const label = (targetId: string, name?: string) => ({ type: 'label' as const, targetId, label: name });

/** One branch with e0 'one', e1 answer, e2 'two', e3 answer; and another after e1 with x0 'three', x1 answer. */
const forked = [
  ...createPath(prompt('one'), assistant('1'), prompt('two'), assistant('2')),
  createEntry(prompt('three'), 'x0', 'e1'),
  createEntry(assistant('3'), 'x1', 'x0'),
];

describe('branching', () => {
  test('listBranchPoints returns every prompt on all branches, in log order', () => {
    expect(listBranchPoints([...forked, createEntry(user([]), 'y0', 'x1')])).toEqual([
      { entryId: 'e0', text: 'one' },
      { entryId: 'e2', text: 'two' },
      { entryId: 'x0', text: 'three' },
    ]);
  });

  test('branchBefore returns the path before the prompt and the text of the prompt', () => {
    expect(branchBefore(forked, 'x0')).toEqual({ text: 'three', path: forked.slice(0, 2), labels: [] });
    expect(branchBefore(forked, 'e0')).toEqual({ text: 'one', path: [], labels: [] });
  });

  test.each(['e1', 'nope', ''])('branchBefore %j is refused because it is not a prompt', (id) => {
    expect(() => branchBefore(forked, id)).toThrow(`Invalid entry ID for branching: ${id}`);
  });

  test('includes labels that were set later or on another branch, but only for entries of the path', () => {
    const entries = [
      ...forked,
      createEntry(label('e1', 'old'), 'l0', 'x1'),
      createEntry(label('e1', 'new'), 'l1', 'l0'),
      createEntry(label('x0', 'not on the path'), 'l2', 'l1'),
      createEntry(label('e0', 'given'), 'l3', 'l2'),
      createEntry(label('e0'), 'l4', 'l3'),
    ];
    expect(branchBefore(entries, 'e2').labels).toEqual([{ targetId: 'e1', label: 'new' }]);
  });

  test('does not repeat a label that is on the path, and removes a label that was removed later', () => {
    const entries = [
      ...createPath(prompt('one'), label('e0', 'kept'), label('e1', 'removed'), prompt('two')),
      createEntry(label('e1'), 'l0', 'e3'),
    ];
    expect(branchBefore(entries, 'e3').labels).toEqual([{ targetId: 'e1' }]);
  });

  test('a missing parent is replaced by the entry before', () => {
    const complete = createPath(prompt('one'), assistant('1'), prompt('two'), assistant('2'), prompt('three'));
    const damaged = complete.filter((entry) => entry.id !== 'e2');
    const { path } = branchBefore(damaged, 'e4');
    expect(path.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['e0', null],
      ['e1', 'e0'],
      ['e3', 'e1'],
    ]);
  });
});

describe('buildTree', () => {
  test('puts each entry under its parent', () => {
    expect(shape(buildTree(forked))).toEqual(['e0', ['e1', ['e2', ['e3'], 'x0', ['x1']]]]);
  });

  test('adds the newest label to its target, and none if it was removed', () => {
    const entries = createPath(
      prompt('one'),
      label('e0', 'a'),
      label('e0', 'b'),
      label('e1', 'c'),
      label('e1'),
      label('zz', 'd'),
    );
    const [root] = buildTree(entries);
    expect(root).toMatchObject({ label: 'b', labelTimestamp: entries[2]?.timestamp });
    expect(root?.children[0]).not.toHaveProperty('label');
  });

  test('contains all entries of a log with parent cycles', () => {
    const entries = [
      createEntry(prompt('a'), 'a', 'b'),
      createEntry(prompt('b'), 'b', 'a'),
      createEntry(prompt('c'), 'c', 'c'),
    ];
    expect(shape(buildTree(entries))).toEqual(['a', ['b', ['c']]]);
  });

  test('keeps two entries with the same id', () => {
    const entries = [...createPath(prompt('one'), assistant('1')), createEntry(prompt('again'), 'e0', 'e1')];
    expect(shape(buildTree(entries))).toEqual(['e0', ['e1', ['e0']]]);
  });

  test('contains every entry exactly once for any ids', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const logs = fc.array(
      fc.tuple(id, fc.option(id)).map(([entryId, parent]) => createEntry(prompt(entryId), entryId, parent)),
    );
    fc.assert(
      fc.property(logs, (entries) => {
        const treeEntries = collectEntries(buildTree(entries));
        expect(treeEntries).toHaveLength(entries.length);
        expect(new Set(treeEntries)).toEqual(new Set(entries));
      }),
    );
  });

  test('a depth of 10,000 entries does not overflow the stack', () => {
    const entries = createPath(...Array.from({ length: 10_000 }, (_, n) => prompt(`p${n}`)));
    expect(branchBefore(entries, 'e9999').path).toHaveLength(9999);
    const tree = buildTree(entries);
    const json = toJson({ type: 'response', data: { tree, leafId: 'e9999' } });
    expect(collectEntries(JSON.parse(json).data.tree)).toHaveLength(10_000);
  });
});

type Shape = (string | Shape)[];

function shape(tree: readonly EntryTree[]): Shape {
  return tree.flatMap(({ entry, children }) => (children.length > 0 ? [entry.id, shape(children)] : [entry.id]));
}

function collectEntries(tree: readonly EntryTree[]): SessionEntry[] {
  const entries: SessionEntry[] = [];
  const pending = [...tree];
  for (let node = pending.pop(); node; node = pending.pop()) {
    entries.push(node.entry);
    pending.push(...node.children);
  }
  return entries;
}
