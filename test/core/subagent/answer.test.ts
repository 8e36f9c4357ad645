// Parsing a subagent's answer against a schema: where the JSON is found and how a mismatch is reported.
import { expect, test } from 'vitest';
import { createClock } from '../../../src/app/system-ports/clock.ts';
import { createTestPatterns } from '../../../src/app/system-ports/pattern-matcher.ts';
import type { Clock } from '../../../src/contracts/index.ts';
import { createAnswerParser } from '../../../src/core/subagent/answer-parser.ts';

/** A clock whose timers never fire, so that slow machines do not cause timeouts. */
const clockWithoutTimers = { after: () => () => {} };
const timedOutPatterns: string[] = [];
const patternOptions = {
  testPatterns: createTestPatterns({ clock: clockWithoutTimers }),
  onTimeout: (expression: string) => void timedOutPatterns.push(expression),
};
const parse = async (schema: unknown, text: string) =>
  createAnswerParser(schema, 'schema', patternOptions)?.parse(text);
const OK = { properties: { ok: { type: 'boolean' } } };

test.each([
  ['JSON is the whole message', '{"ok":true}'],
  ['JSON has whitespace around it', '\n {"ok":true}\n'],
  ['JSON is in a code block', '```json\n{"ok":true}\n```'],
  [
    'JSON is in the last of several code blocks',
    'First:\n```\n{"ok":false}\n```\nCorrection:\n```json\n{"ok":true}\n```\nEnd.',
  ],
])('%s', async (_, text) => {
  expect(await parse(OK, text)).toEqual({ data: { ok: true } });
});

test('the problem of an invalid answer is reported', async () => {
  expect(await parse(OK, 'yes')).toEqual({ problem: 'it is not JSON' });
  expect(await parse(OK, '```json\n{"ok":tru\n```')).toEqual({ problem: 'it is not JSON' });
  expect(await parse(OK, '[]')).toEqual({ problem: 'the value must be an object (got array)' });
  expect(await parse(OK, '{"ok":1}')).toEqual({ problem: 'ok must be a boolean (got 1)' });
});

test('plain text is accepted when the schema is a string', async () => {
  expect(await parse({ type: 'string' }, ' just words \n')).toEqual({ data: 'just words' });
});

test('a schema may be a JSON string; an invalid schema is refused; without a schema there is no parser', async () => {
  expect(await parse(JSON.stringify(OK), '{"ok":true}')).toEqual({ data: { ok: true } });
  await expect(parse('files', '')).rejects.toThrow(
    'schema must be an object: a JSON Type Definition or a JSON Schema.',
  );
  await expect(parse(7, '')).rejects.toThrow('schema must be an object');
  expect(await parse(undefined, 'x')).toBeUndefined();
});

test('a schema with an endless self-reference fails the answer but does not crash', async () => {
  expect(await parse({ $ref: '#' }, '1')).toEqual({ problem: expect.stringContaining('it cannot be checked') });
});

const CODE = {
  type: 'object',
  properties: { code: { type: 'string', pattern: '^[A-Z]{2}\\d+$' } },
  required: ['code'],
};

test('patterns are checked', async () => {
  expect(await parse(CODE, '{"code":"AB12"}')).toEqual({ data: { code: 'AB12' } });
  expect(await parse(CODE, '{"code":"ab12"}')).toEqual({
    problem: 'code must match ^[A-Z]{2}\\d+$ (got "ab12")',
  });
  expect(await parse({ type: 'string', pattern: '^\\p{L}+$' }, 'Žluť')).toEqual({ data: 'Žluť' });
  expect(await parse({ type: 'string', pattern: '^$' }, '""')).toEqual({ data: '' });
});

test('patterns decide between the alternatives of anyOf', async () => {
  const idMatching = (pattern: string) => ({ type: 'object', properties: { id: { type: 'string', pattern } } });
  const schema = { anyOf: [idMatching('^a'), idMatching('^b')] };
  expect(await parse(schema, '{"id":"b1"}')).toEqual({ data: { id: 'b1' } });
  expect(await parse(schema, '{"id":"c1"}')).toEqual({ problem: 'id must match ^a (got "c1")' });
});

test('an invalid regular expression is ignored', async () => {
  expect(await parse({ type: 'string', pattern: '(' }, 'x')).toEqual({ data: 'x' });
});

test('an expression that never finishes times out once for all its texts; the other patterns are still checked', async () => {
  const endless = '^(a+)+$';
  const text = `${'a'.repeat(40)}!`;
  const schema = {
    type: 'object',
    properties: {
      slow: { type: 'array', items: { type: 'string', pattern: endless } },
      quick: { type: 'string', pattern: '^q' },
    },
  };
  // Only the first timer is real. It belongs to the endless expression, so its exact time does not matter.
  let timerCount = 0;
  const realClock = createClock();
  const clock: Pick<Clock, 'after'> = {
    after: (ms, act) => (timerCount++ === 0 ? realClock.after(ms, act) : () => {}),
  };
  const parser = createAnswerParser(schema, 'schema', {
    ...patternOptions,
    testPatterns: createTestPatterns({ clock }),
  });
  timedOutPatterns.length = 0;
  expect(await parser?.parse(JSON.stringify({ slow: [text, `${text}!`, 'aaa'], quick: 'no' }))).toEqual({
    problem: 'quick must match ^q (got "no")',
  });
  expect(timedOutPatterns).toEqual([endless]);
}, 60_000);
