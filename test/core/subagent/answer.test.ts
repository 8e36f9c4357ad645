// What a subagent says at its end, held to a schema: where the data is found, what is said of an answer that does not fit.
import { expect, test } from 'vitest';
import { answerForm } from '../../../src/core/subagent/answer.ts';

const read = (schema: unknown, text: string) => answerForm(schema, 'schema')?.read(text);
const OK = { properties: { ok: { type: 'boolean' } } };

test.each([
  ['the whole message', '{"ok":true}'],
  ['with space around it', '\n {"ok":true}\n'],
  ['a block of code', '```json\n{"ok":true}\n```'],
  ['the last of several blocks', 'First:\n```\n{"ok":false}\n```\nno, rather:\n```json\n{"ok":true}\n```\nThat is it.'],
])('%s', (_, text) => {
  expect(read(OK, text)).toEqual({ data: { ok: true } });
});

test('what is wrong is said', () => {
  expect(read(OK, 'yes')).toEqual({ problem: 'it is not JSON' });
  expect(read(OK, '```json\n{"ok":tru\n```')).toEqual({ problem: 'it is not JSON' });
  expect(read(OK, '[]')).toEqual({ problem: 'the value must be an object (got array)' });
  expect(read(OK, '{"ok":1}')).toEqual({ problem: 'ok must be a boolean (got 1)' });
});

test('text will do where a text is asked for', () => {
  expect(read({ type: 'string' }, ' just words \n')).toEqual({ data: 'just words' });
});

test('a schema may come as text; one that is none is refused; none at all asks for nothing', () => {
  expect(read(JSON.stringify(OK), '{"ok":true}')).toEqual({ data: { ok: true } });
  expect(() => read('files', '')).toThrow('schema must be an object: a JSON Type Definition or a JSON Schema.');
  expect(() => read(7, '')).toThrow('schema must be an object');
  expect(read(undefined, 'x')).toBeUndefined();
});

test('a schema that refers to itself without end fails the answer, not the program', () => {
  expect(read({ $ref: '#' }, '1')).toEqual({ problem: expect.stringContaining('it cannot be checked') });
});
