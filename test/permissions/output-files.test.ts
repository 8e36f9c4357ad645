// Programs that mostly read, with options and operands that write a file: a rule that allows the program does not allow the file.
import { expect, test } from 'vitest';
import { check, decide } from './decide.ts';

const WRITERS: readonly (readonly [command: string, file: string])[] = [
  ['git diff --output=out', 'out'],
  ['git log --output out', 'out'],
  ['git show --outpu=out', 'out'],
  ['sort -o out a', 'out'],
  ['sort -uoout a', 'out'],
  ['sort a --output=out', 'out'],
  ['sort a --outp out', 'out'],
  ['find . -fprint out', 'out'],
  ['find . -name a -fprintf out %p', 'out'],
  ['find . -fls out', 'out'],
  ['tree -o out', 'out'],
  ['uniq a out', 'out'],
  ['uniq - out', 'out'],
  ['uniq -c -- -a out', 'out'],
  ['xxd a out', 'out'],
  ['xxd - out', 'out'],
];
const ALLOW = ['git *', 'sort *', 'find *', 'tree *', 'uniq *', 'xxd *'].map((words) => `bash(${words})`);

test.each(WRITERS)('%j writes %s', async (command, file) => {
  const { decision, parts } = await check({ command, allow: ALLOW.concat('bash(tree *)') });
  expect(decision).toBe('ask');
  expect(parts.map(({ text }) => text)).toContain(`write(${file})`);
  expect(await decide({ command, policy: 'never', deny: ['write(out)'] })).toBe('deny');
  expect(await decide({ command, policy: 'read-only' })).toBe('deny');
});

test('find that deletes is asked about', async () => {
  expect(await decide({ command: 'find . -name a -delete', allow: ['bash(find *)'] })).toBe('ask');
  expect(await decide({ command: 'find . -delete', policy: 'never', deny: ['bash(rm *)'] })).toBe('ask');
});

test.each([
  'git diff --output-indicator-new=x',
  'git archive -o a.tar HEAD',
  'sort -u a',
  'find . -name out',
  'uniq -c a',
])('%j writes no other file', async (command) => {
  expect(await decide({ command, allow: ALLOW })).toBe('allow');
});
