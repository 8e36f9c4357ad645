// The whole tree: where one can branch, what a branch begins with, and trees that no program should have written.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson } from '../../../src/base/index.ts';
import { branchBefore, branchPoints, treeOf } from '../../../src/core/tree/branching.ts';
import type { EntryTree, SessionEntry } from '../../../src/protocol/index.ts';
import { assistant, line, placed, text, user } from '../entries.ts';

const prompt = (words: string) => user([text(words)]);
const label = (targetId: string, name?: string) => ({ type: 'label' as const, targetId, label: name });

/** e0 one, e1 answer, e2 two, e3 answer; and from e1 another: x0 three, x1 answer. */
const forked = [
  ...line(prompt('one'), assistant('1'), prompt('two'), assistant('2')),
  placed(prompt('three'), 'x0', 'e1'),
  placed(assistant('3'), 'x1', 'x0'),
];

describe('branching', () => {
  test('is possible before every prompt, on all branches, in the order they were made', () => {
    expect(branchPoints([...forked, placed(user([]), 'y0', 'x1')])).toEqual([
      { entryId: 'e0', text: 'one' },
      { entryId: 'e2', text: 'two' },
      { entryId: 'x0', text: 'three' },
    ]);
  });

  test('gives the line before the prompt and its text', () => {
    expect(branchBefore(forked, 'x0')).toEqual({ text: 'three', path: forked.slice(0, 2), labels: [] });
    expect(branchBefore(forked, 'e0')).toEqual({ text: 'one', path: [], labels: [] });
  });

  test.each(['e1', 'nope', ''])('before %j is refused: that is no prompt', (id) => {
    expect(() => branchBefore(forked, id)).toThrow(`Invalid entry ID for branching: ${id}`);
  });

  test('takes names along that were given later or elsewhere, and only those of its line', () => {
    const entries = [
      ...forked,
      placed(label('e1', 'old'), 'l0', 'x1'),
      placed(label('e1', 'new'), 'l1', 'l0'),
      placed(label('x0', 'not on the line'), 'l2', 'l1'),
      placed(label('e0', 'given'), 'l3', 'l2'),
      placed(label('e0'), 'l4', 'l3'),
    ];
    expect(branchBefore(entries, 'e2').labels).toEqual([{ targetId: 'e1', label: 'new' }]);
  });

  test('does not repeat a name that is on the line, and takes back what was taken back later', () => {
    const entries = [
      ...line(prompt('one'), label('e0', 'kept'), label('e1', 'gone'), prompt('two')),
      placed(label('e1'), 'l0', 'e3'),
    ];
    expect(branchBefore(entries, 'e3').labels).toEqual([{ targetId: 'e1' }]);
  });

  test('where a line of the log is gone, goes on from the entry before, in one line', () => {
    const whole = line(prompt('one'), assistant('1'), prompt('two'), assistant('2'), prompt('three'));
    const damaged = whole.filter((entry) => entry.id !== 'e2');
    const { path } = branchBefore(damaged, 'e4');
    expect(path.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['e0', null],
      ['e1', 'e0'],
      ['e3', 'e1'],
    ]);
  });
});

describe('the tree', () => {
  test('each entry under the one it follows', () => {
    expect(shape(treeOf(forked))).toEqual(['e0', ['e1', ['e2', ['e3'], 'x0', ['x1']]]]);
  });

  test('names stand with what they name: the newest, and none when it was taken away', () => {
    const entries = line(
      prompt('one'),
      label('e0', 'a'),
      label('e0', 'b'),
      label('e1', 'c'),
      label('e1'),
      label('zz', 'd'),
    );
    const [root] = treeOf(entries);
    expect(root).toMatchObject({ label: 'b', labelTimestamp: entries[2]?.timestamp });
    expect(root?.children[0]).not.toHaveProperty('label');
  });

  test('entries that follow one another in a circle, or themselves, are all there', () => {
    const entries = [placed(prompt('a'), 'a', 'b'), placed(prompt('b'), 'b', 'a'), placed(prompt('c'), 'c', 'c')];
    expect(shape(treeOf(entries))).toEqual(['a', ['b', ['c']]]);
  });

  test('an id that comes twice is two entries', () => {
    const entries = [...line(prompt('one'), assistant('1')), placed(prompt('again'), 'e0', 'e1')];
    expect(shape(treeOf(entries))).toEqual(['e0', ['e1', ['e0']]]);
  });

  test('whatever the ids say, every entry is in the tree exactly once', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const any = fc.array(fc.tuple(id, fc.option(id)).map(([own, parent]) => placed(prompt(own), own, parent)));
    fc.assert(
      fc.property(any, (entries) => {
        const found = everyEntry(treeOf(entries));
        expect(found).toHaveLength(entries.length);
        expect(new Set(found)).toEqual(new Set(entries));
      }),
    );
  });

  test('ten thousand deep: built, branched and written without overflowing the stack', () => {
    const entries = line(...Array.from({ length: 10_000 }, (_, n) => prompt(`p${n}`)));
    expect(branchBefore(entries, 'e9999').path).toHaveLength(9999);
    const tree = treeOf(entries);
    const written = toJson({ type: 'response', data: { tree, leafId: 'e9999' } });
    expect(everyEntry(JSON.parse(written).data.tree)).toHaveLength(10_000);
  });
});

type Shape = (string | Shape)[];

function shape(tree: readonly EntryTree[]): Shape {
  return tree.flatMap(({ entry, children }) => (children.length > 0 ? [entry.id, shape(children)] : [entry.id]));
}

function everyEntry(tree: readonly EntryTree[]): SessionEntry[] {
  const found: SessionEntry[] = [];
  const waiting = [...tree];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    found.push(node.entry);
    waiting.push(...node.children);
  }
  return found;
}
