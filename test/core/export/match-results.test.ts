// Tool results find their calls by id, on their own branch.
import { expect, test } from 'vitest';
import { matchResults } from '../../../src/core/export/match-results.ts';
import { answer, call, type Raw, result, toTranscript, user } from './export-session.ts';

const match = (bodies: readonly Raw[]) => toTranscript(bodies).results;

test('the nearest answer on the branch counts when an id is used twice', () => {
  const results = match([
    answer([call('a', 'x', {})]),
    result('a', '1'),
    answer([call('a', 'x', {})]),
    result('a', '2'),
  ]);
  expect([results.getResults(0, 'a'), results.getResults(2, 'a')]).toEqual([[1], [3]]);
});

test('a call has one result on each branch', () => {
  const results = match([answer([call('a', 'x', {})]), result('a', '1'), { ...result('a', '2'), parentId: 'e0' }]);
  expect(results.getResults(0, 'a')).toEqual([1, 2]);
});

test('a call of another branch does not count', () => {
  const results = match([user('hi'), answer([call('a', 'x', {})]), { ...result('a', '1'), parentId: 'e0' }]);
  expect([results.getResults(1, 'a'), results.isMatched(2)]).toEqual([[], false]);
});

test('time is linear for many results without a near call', () => {
  const count = 100_000;
  const { messages } = toTranscript([answer([call('a', 'x', {})]), result('a', '')]);
  const [first, second] = messages;
  const many = Array.from({ length: count }, (_, at) => (at === 0 ? first : second));
  const parents = many.map((_, at) => at - 1);
  const results = matchResults(many, parents);
  expect(results.getResults(0, 'a').length).toBeLessThanOrEqual(256);
});
