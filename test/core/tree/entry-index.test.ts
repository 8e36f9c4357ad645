// indexEntries: parents and paths.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexEntries } from '../../../src/protocol/entry-index.ts';
import { createEntry, createPath, user } from '../entries.ts';

describe('indexEntries', () => {
  test('finds positions and paths of a log with two branches', () => {
    const entries = [...createPath(user('a'), user('b'), user('c')), createEntry(user('d'), 'x', 'e0')];
    const { parentPositions, findPosition, pathTo } = indexEntries(entries);
    expect(parentPositions).toEqual([-1, 0, 1, 0]);
    expect(pathTo(findPosition('x')).map(({ id }) => id)).toEqual(['e0', 'x']);
    expect(pathTo(findPosition('e2')).map(({ id }) => id)).toEqual(['e0', 'e1', 'e2']);
    expect([findPosition('nope'), findPosition(null)]).toEqual([-1, -1]);
    expect(pathTo(-1)).toEqual([]);
  });

  test('if an id is not unique, the newest entry before the child is its parent', () => {
    const entries = [
      createEntry(user('a'), 'a', null),
      createEntry(user('b'), 'a', 'a'),
      createEntry(user('c'), 'c', 'a'),
    ];
    expect(indexEntries(entries).parentPositions).toEqual([-1, 0, 1]);
  });

  test('for any ids a parent comes before its child and every path ends', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    fc.assert(
      fc.property(fc.array(fc.tuple(id, fc.option(id))), (pairs) => {
        const entries = pairs.map(([entryId, parent]) => createEntry(user(entryId), entryId, parent));
        const { parentPositions, pathTo } = indexEntries(entries);
        parentPositions.forEach((parent, at) => {
          expect(parent).toBeLessThan(at);
          expect(pathTo(at).at(-1)).toBe(entries[at]);
        });
      }),
    );
  });
});
