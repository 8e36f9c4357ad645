// Which entry follows which.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lineageOf } from '../../../src/core/tree/lineage.ts';
import { line, placed, user } from '../entries.ts';

describe('the lineage', () => {
  test('of a line and a branch', () => {
    const entries = [...line(user('a'), user('b'), user('c')), placed(user('d'), 'x', 'e0')];
    const { parents, find, pathTo } = lineageOf(entries);
    expect(parents).toEqual([-1, 0, 1, 0]);
    expect(pathTo(find('x')).map(({ id }) => id)).toEqual(['e0', 'x']);
    expect(pathTo(find('e2')).map(({ id }) => id)).toEqual(['e0', 'e1', 'e2']);
    expect([find('nope'), find(null)]).toEqual([-1, -1]);
    expect(pathTo(-1)).toEqual([]);
  });

  test('where an id comes twice, the newer one before the child is its parent', () => {
    const entries = [placed(user('a'), 'a', null), placed(user('b'), 'a', 'a'), placed(user('c'), 'c', 'a')];
    expect(lineageOf(entries).parents).toEqual([-1, 0, 1]);
  });

  test('whatever the ids say, a parent stands before its child and every way ends', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    fc.assert(
      fc.property(fc.array(fc.tuple(id, fc.option(id))), (pairs) => {
        const entries = pairs.map(([own, parent]) => placed(user(own), own, parent));
        const { parents, pathTo } = lineageOf(entries);
        parents.forEach((parent, at) => {
          expect(parent).toBeLessThan(at);
          expect(pathTo(at).at(-1)).toBe(entries[at]);
        });
      }),
    );
  });
});
