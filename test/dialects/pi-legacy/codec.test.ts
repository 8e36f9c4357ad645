// Lines that the codec of pi-legacy refuses.
import { expect, test } from 'vitest';
import { Fault } from '../../../src/base/index.ts';
import { loadDialect } from '../../../src/dialects/index.ts';

test.each(['[', '{"a":'])('a type that is nested deeply (%s) is refused', async (start) => {
  const { createCodec } = await loadDialect('pi-legacy');
  const depth = 20_000;
  const text = `{"type":${start.repeat(depth)}1${(start === '[' ? ']' : '}').repeat(depth)}}`;
  expect(createCodec({ version: '1', stream: 'full' }).decode({ text })).toEqual({
    kind: 'refused',
    token: { name: 'parse' },
    fault: new Fault('unknown_command', 'Unknown type: an object. Known: prompt, abort, compact'),
  });
});
