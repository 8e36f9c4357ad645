// Tests of how a tool call is shown: title, kind, locations, and the content derived from its arguments.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeToolCall, describeToolContent } from '../../../../src/dialects/acp/updates/index.ts';
import { validate } from '../schema-validator.ts';
import { CWD } from './updates-fixture.ts';

describe('title and kind', () => {
  test.each([
    ['read', { path: 'src/a.ts' }, 'Read src/a.ts', 'read'],
    ['read', { path: `${CWD}/src/a.ts`, offset: 10, limit: 31 }, 'Read src/a.ts:10-40', 'read'],
    ['read', { path: '@a.ts', limit: 5 }, 'Read a.ts:1-5', 'read'],
    ['read', { path: 'a.ts', offset: 7 }, 'Read a.ts:7', 'read'],
    ['read', { path: '/etc/hosts' }, 'Read /etc/hosts', 'read'],
    ['read', {}, 'Read a file', 'read'],
    ['write', { path: 'a.ts', content: '' }, 'Write a.ts', 'edit'],
    ['edit', { path: '/projects/one2/a.ts' }, 'Edit /projects/one2/a.ts', 'edit'],
    ['ls', {}, 'List files', 'search'],
    ['ls', { path: CWD }, 'List files', 'search'],
    ['ls', { path: 'src' }, 'List files in src', 'search'],
    ['find', { pattern: '*.ts', path: 'src' }, 'Find "*.ts" in src', 'search'],
    ['grep', { pattern: 'foo', path: 'src', glob: '*.ts' }, 'Search for "foo" in src (*.ts)', 'search'],
    ['bash', { command: 'npm test' }, '`npm test`', 'execute'],
    ['bash', { command: 'echo `date`' }, '`` echo `date` ``', 'execute'],
    ['bash', { command: 'cd src\n\n  ls -l\n' }, '`cd src ↵ ls -l`', 'execute'],
    ['bash', { command: 7 }, 'Run a command', 'execute'],
    [
      'task',
      { agent: 'explore', tasks: [{ id: 'A', description: 'Find uses' }] },
      'Delegate to explore: Find uses',
      'other',
    ],
    ['task', { agent: 'explore', tasks: [{}, {}] }, 'Delegate 2 tasks to explore', 'other'],
    ['todo_write', { todos: [] }, 'Update the todo list', 'think'],
    ['ask', { question: 'Which one?' }, 'Ask: Which one?', 'other'],
    ['mcp__github__create_issue', { title: 'Bug' }, 'github: create_issue Bug', 'other'],
    ['deploy', { count: 1, target: 'staging' }, 'deploy staging', 'other'],
    ['constructor', {}, 'constructor', 'other'],
  ] as const)('%s %j', (toolName, args, title, kind) => {
    expect(describeToolCall(toolName, args as Record<string, unknown>, CWD)).toMatchObject({ title, kind });
  });

  test('invisible characters are shown as escapes, and long titles are cut', () => {
    const { title } = describeToolCall('bash', { command: 'rm \u202e-rf\u0000 x' }, CWD);
    expect(title).toBe('`rm \\u202e-rf\\u0000 x`');
    expect(describeToolCall('read', { path: 'x'.repeat(5000) }, CWD).title).toMatch(/^Read x{244}…$/);
  });

  test('any arguments give one visible line of bounded length, and valid content', () => {
    const names = fc.constantFrom('read', 'write', 'edit', 'ls', 'find', 'grep', 'bash', 'task', 'ask', 'other');
    const text = fc.string({ unit: 'binary', maxLength: 400 });
    const value = fc.oneof(text, fc.integer(), fc.constant(null), fc.array(fc.dictionary(text, text)));
    const fields = ['path', 'command', 'pattern', 'oldText', 'newText', 'content', 'edits', 'tasks', 'offset', 'limit'];
    const args = fc.dictionary(fc.oneof(fc.constantFrom(...fields), text), value);
    fc.assert(
      fc.property(names, args, (toolName, input) => {
        const { title, kind, locations } = describeToolCall(toolName, input, CWD);
        const content = describeToolContent(toolName, input, CWD);
        expect(title.length).toBeLessThan(800);
        expect(title).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
        expect(title.isWellFormed()).toBe(true);
        validate('ToolCall', { toolCallId: 'a', title, kind, locations, content });
      }),
      { numRuns: 50 },
    );
  });
});

test('locations are absolute and have the first line that is read', () => {
  const locate = (toolName: string, args: Record<string, unknown>) => describeToolCall(toolName, args, CWD).locations;
  expect(locate('read', { path: 'src/../a.ts', offset: 3 })).toEqual([{ path: `${CWD}/a.ts`, line: 3 }]);
  expect(locate('edit', { path: '/tmp/b.ts' })).toEqual([{ path: '/tmp/b.ts' }]);
  expect(locate('read', { path: 'mcp://server/notes' })).toEqual([]);
  expect(locate('read', { path: '~/notes' })).toEqual([]);
  expect(locate('deploy', { path: 'a.ts' })).toEqual([]);
});

describe('planned content', () => {
  test('an edit has one diff per change', () => {
    const args = { path: 'a.ts', edits: [{ oldText: 'a', newText: 'b' }], oldText: 'c', newText: 'd' };
    expect(describeToolContent('edit', args, CWD)).toEqual([
      { type: 'diff', path: `${CWD}/a.ts`, oldText: 'a', newText: 'b' },
      { type: 'diff', path: `${CWD}/a.ts`, oldText: 'c', newText: 'd' },
    ]);
  });

  test('a write has the new text', () => {
    expect(describeToolContent('write', { path: '/tmp/a', content: 'x\n' }, CWD)).toEqual([
      { type: 'diff', path: '/tmp/a', oldText: null, newText: 'x\n' },
    ]);
  });

  test('a command that the title does not show whole is shown as content', () => {
    expect(describeToolContent('bash', { command: 'npm test' }, CWD)).toEqual([]);
    const command = 'cat <<E\n```\t\u202e\nE';
    expect(describeToolContent('bash', { command }, CWD)).toEqual([
      { type: 'content', content: { type: 'text', text: '````sh\ncat <<E\n```\t\\u202e\nE\n````' } },
    ]);
  });

  test('is bounded', () => {
    const long = 'x'.repeat(500_000);
    const edits = Array.from({ length: 50 }, () => ({ oldText: long, newText: long }));
    expect(JSON.stringify(describeToolContent('edit', { path: 'a', edits }, CWD)).length).toBeLessThan(60_000);
    expect(JSON.stringify(describeToolContent('write', { path: 'a', content: long }, CWD)).length).toBeLessThan(60_000);
  });
});
