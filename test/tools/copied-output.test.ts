// What a command prints can be copied into an edit: no character of a file's text is left out.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bash } from '../../src/tools/bash.ts';
import { edit } from '../../src/tools/edit.ts';
import { surroundings, textOf } from './surroundings.ts';

test.each([
  ['U+0085', 'next\u0085line'],
  ['U+009B', 'before \u009b31m after'],
  ['U+0090, U+009D and U+009F', 'a\u0090b\u009dc\u009fd'],
  ['annotation marks', 'a\ufff9b\ufffac\ufffbd'],
  ['marks of direction', 'a\u202eb\u2066c'],
])('%s', async (_, line) => {
  const here = surroundings();
  here.put({ 'a.txt': `first\n${line}\nlast\n` });
  const printed = textOf(await bash.run({ command: 'sed -n 2p a.txt' }, here)).trimEnd();
  expect(printed).toBe(line);
  await edit.run({ path: 'a.txt', oldText: printed, newText: 'changed' }, here);
  expect(readFileSync(here.path('a.txt'), 'utf8')).toBe('first\nchanged\nlast\n');
});
