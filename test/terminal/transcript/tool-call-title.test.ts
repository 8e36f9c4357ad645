// Titles of tool calls: the main argument first, the others separated and named.
import { expect, test } from 'vitest';
import { describeCall } from '../../../src/terminal/transcript/tool-call-title.ts';

const describe = (name: string, args: Record<string, unknown>, diff?: string) =>
  describeCall({ name, args }, diff)
    .map(({ text }) => text)
    .join('');

test.each<[name: string, args: Record<string, unknown>, title: string]>([
  ['read', { path: 'src/a.ts' }, 'read src/a.ts'],
  ['read', { path: 'src/a.ts', offset: 10, limit: 31 }, 'read src/a.ts:10-40'],
  ['read', { path: 'src/a.ts', offset: 10 }, 'read src/a.ts:10-'],
  ['read', { path: 'src/a.ts', limit: 5 }, 'read src/a.ts:1-5'],
  ['grep', { pattern: 'a b' }, 'grep "a b"'],
  ['grep', { pattern: 'x', path: 'src', glob: '*.ts' }, 'grep "x" in src (glob *.ts)'],
  [
    'grep',
    { pattern: 'x', ignoreCase: true, literal: false, context: 2, limit: 9 },
    'grep "x" (ignore case, literal false, context 2, limit 9)',
  ],
  ['find', { pattern: '*.ts', path: 'src', limit: 20 }, 'find "*.ts" in src (limit 20)'],
  ['ls', {}, 'ls'],
  ['ls', { path: 'src' }, 'ls src'],
  ['bash', { command: 'npm test', timeout: 60 }, 'bash npm test (timeout 60s)'],
  ['bash', { command: 'one\ntwo\nthree\n' }, 'bash one… (3 lines)'],
  ['write', { path: 'a.txt', content: 'first\nsecond\n' }, 'write a.txt (2 lines)'],
  ['write', { path: 'a.txt', content: 'first' }, 'write a.txt (1 line)'],
  ['edit', { path: 'a.ts', edits: [{}, {}] }, 'edit a.ts (2 edits)'],
  ['edit', { path: 'a.ts', oldText: 'a', newText: 'b' }, 'edit a.ts'],
  ['todo_write', { todos: [{}, {}, {}] }, 'todo_write (3 todos)'],
  ['tasks', { operations: [{}] }, 'tasks (1 operation)'],
  ['task', { agent: 'explore', tasks: [{}, {}], isolated: true }, 'task explore (2 tasks, isolated)'],
  ['ask', { question: 'Which one?', choices: ['a', 'b'] }, 'ask Which one? (2 choices)'],
  ['deploy', { target: 'prod', dry_run: true, options: { a: 1 } }, 'deploy prod (dry run, options {"a":1})'],
  ['none', { value: null, other: undefined }, 'none'],
])('%s %j', (name, args, title) => {
  expect(describe(name, args)).toBe(title);
});

test('the numbers of added and removed lines replace the number of edits', () => {
  const diff = ' 1 same\n-2 old\n+2 new\n+3 newer';
  expect(describe('edit', { path: 'a.ts', edits: [{}, {}] }, diff)).toBe('edit a.ts +2 −1');
  expect(describe('write', { path: 'a.ts', content: 'a\nb' }, diff)).toBe('write a.ts +2 −1');
});

test('a long argument does not hide the others', () => {
  expect(describe('x', { command: 'y', note: 'z'.repeat(500) }).length).toBeLessThan(60);
});
