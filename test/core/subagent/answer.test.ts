// What a subagent says at its end, held to a schema: where the data is found, what is said of an answer that does not fit.
import { expect, test } from 'vitest';
import { createClock } from '../../../src/app/system-ports/clock.ts';
import { createTryPatterns } from '../../../src/app/system-ports/pattern-watch.ts';
import type { Clock } from '../../../src/contracts/index.ts';
import { answerForm } from '../../../src/core/subagent/answer.ts';

/** For expressions that come to an end, however slow the machine is. */
const patient = { after: () => () => {} };
const lost: string[] = [];
const expressions = { tryPatterns: createTryPatterns({ clock: patient }), lost: (one: string) => void lost.push(one) };
const read = async (schema: unknown, text: string) => answerForm(schema, 'schema', expressions)?.read(text);
const OK = { properties: { ok: { type: 'boolean' } } };

test.each([
  ['the whole message', '{"ok":true}'],
  ['with space around it', '\n {"ok":true}\n'],
  ['a block of code', '```json\n{"ok":true}\n```'],
  ['the last of several blocks', 'First:\n```\n{"ok":false}\n```\nno, rather:\n```json\n{"ok":true}\n```\nThat is it.'],
])('%s', async (_, text) => {
  expect(await read(OK, text)).toEqual({ data: { ok: true } });
});

test('what is wrong is said', async () => {
  expect(await read(OK, 'yes')).toEqual({ problem: 'it is not JSON' });
  expect(await read(OK, '```json\n{"ok":tru\n```')).toEqual({ problem: 'it is not JSON' });
  expect(await read(OK, '[]')).toEqual({ problem: 'the value must be an object (got array)' });
  expect(await read(OK, '{"ok":1}')).toEqual({ problem: 'ok must be a boolean (got 1)' });
});

test('text will do where a text is asked for', async () => {
  expect(await read({ type: 'string' }, ' just words \n')).toEqual({ data: 'just words' });
});

test('a schema may come as text; one that is none is refused; none at all asks for nothing', async () => {
  expect(await read(JSON.stringify(OK), '{"ok":true}')).toEqual({ data: { ok: true } });
  await expect(read('files', '')).rejects.toThrow('schema must be an object: a JSON Type Definition or a JSON Schema.');
  await expect(read(7, '')).rejects.toThrow('schema must be an object');
  expect(await read(undefined, 'x')).toBeUndefined();
});

test('a schema that refers to itself without end fails the answer, not the program', async () => {
  expect(await read({ $ref: '#' }, '1')).toEqual({ problem: expect.stringContaining('it cannot be checked') });
});

const CODE = {
  type: 'object',
  properties: { code: { type: 'string', pattern: '^[A-Z]{2}\\d+$' } },
  required: ['code'],
};

test('a pattern counts', async () => {
  expect(await read(CODE, '{"code":"AB12"}')).toEqual({ data: { code: 'AB12' } });
  expect(await read(CODE, '{"code":"ab12"}')).toEqual({
    problem: 'code must match ^[A-Z]{2}\\d+$ (got "ab12")',
  });
  expect(await read({ type: 'string', pattern: '^\\p{L}+$' }, 'Žluť')).toEqual({ data: 'Žluť' });
  expect(await read({ type: 'string', pattern: '^$' }, '""')).toEqual({ data: '' });
});

test('patterns decide between choices, each where the check comes to it', async () => {
  const one = (pattern: string) => ({ type: 'object', properties: { id: { type: 'string', pattern } } });
  const schema = { anyOf: [one('^a'), one('^b')] };
  expect(await read(schema, '{"id":"b1"}')).toEqual({ data: { id: 'b1' } });
  expect(await read(schema, '{"id":"c1"}')).toEqual({ problem: 'id must match ^a (got "c1")' });
});

test('what is no expression forbids nothing', async () => {
  expect(await read({ type: 'string', pattern: '(' }, 'x')).toEqual({ data: 'x' });
});

test('an expression without end is given up, once for all its texts, and the others still count', async () => {
  const hopeless = '^(a+)+$';
  const text = `${'a'.repeat(40)}!`;
  const schema = {
    type: 'object',
    properties: {
      slow: { type: 'array', items: { type: 'string', pattern: hopeless } },
      quick: { type: 'string', pattern: '^q' },
    },
  };
  // Time runs out for the first that is tried only: it never comes to an end, so it does not matter when.
  let asked = 0;
  const real = createClock();
  const clock: Pick<Clock, 'after'> = { after: (ms, act) => (asked++ === 0 ? real.after(ms, act) : () => {}) };
  const form = answerForm(schema, 'schema', { ...expressions, tryPatterns: createTryPatterns({ clock }) });
  lost.length = 0;
  expect(await form?.read(JSON.stringify({ slow: [text, `${text}!`, 'aaa'], quick: 'no' }))).toEqual({
    problem: 'quick must match ^q (got "no")',
  });
  expect(lost).toEqual([hopeless]);
}, 60_000);
