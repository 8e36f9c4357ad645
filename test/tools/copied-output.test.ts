// Command output can be copied into an edit: no character of the text is removed.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bash } from '../../src/tools/bash.ts';
import { edit } from '../../src/tools/edit.ts';
import { createToolFixture, getText } from './tool-fixture.ts';

test.each([
  ['U+0085', 'next\u0085line'],
  ['U+009B', 'before \u009b31m after'],
  ['U+0090, U+009D and U+009F', 'a\u0090b\u009dc\u009fd'],
  ['annotation marks', 'a\ufff9b\ufffac\ufffbd'],
  ['bidirectional controls', 'a\u202eb\u2066c'],
])('%s', async (_, line) => {
  const fixture = createToolFixture();
  fixture.writeFiles({ 'a.txt': `first\n${line}\nlast\n` });
  const printed = getText(await bash.run({ command: 'sed -n 2p a.txt' }, fixture)).trimEnd();
  expect(printed).toBe(line);
  await edit.run({ path: 'a.txt', oldText: printed, newText: 'changed' }, fixture);
  expect(readFileSync(fixture.path('a.txt'), 'utf8')).toBe('first\nchanged\nlast\n');
});
