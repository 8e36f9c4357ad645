// Answers that do not belong to the kind of their question, or that are not among its options.
import { expect, test } from 'vitest';
import type { UiAnswer, UiRequest } from '../../../src/protocol/index.ts';
import { findAnswerProblem } from '../../../src/server/shared/answer-check.ts';

const select: UiRequest = { id: '1', method: 'select', title: 'Which?', options: ['a', 'b'] };
const confirm: UiRequest = { id: '1', method: 'confirm', title: 'Sure?', message: 'Really?' };
const input: UiRequest = { id: '1', method: 'input', title: 'Name' };

test.each<[string, UiRequest, UiAnswer, string | undefined]>([
  ['an option', select, { value: 'a' }, undefined],
  ['no option', select, { value: '__proto__' }, 'one of the options: a, b'],
  ['a confirmation for a selection', select, { confirmed: true }, 'select must be {"value": TEXT}'],
  ['a confirmation', confirm, { confirmed: false }, undefined],
  ['a text for a confirmation', confirm, { value: 'yes' }, 'confirm must be {"confirmed": BOOLEAN}'],
  ['any text', input, { value: 'anything' }, undefined],
  ['a dismissal', select, { cancelled: true }, undefined],
])('%s', (_, request, answer, problem) => {
  const expected = problem === undefined ? undefined : expect.stringContaining(problem);
  expect(findAnswerProblem(request, answer)).toEqual(expected);
});
