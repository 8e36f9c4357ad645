// Proposed rules allow exactly the call for which they are proposed.
import { expect, test } from 'vitest';
import { parseRule, proposeRules } from '../../src/permissions/index.ts';
import { type Case, check, decide, toCall, toContext } from './decide.ts';

async function propose(one: Case): Promise<readonly string[]> {
  return proposeRules(toCall(one), await check(one), toContext(one));
}

test.each<readonly [Case, readonly string[]]>([
  [{ command: 'git push' }, ['bash(git push)']],
  [{ command: 'ls "a b" \'*\' && git push | cat' }, ['bash(ls a\\ b \\*)', 'bash(git push)', 'bash(cat)']],
  [{ command: 'echo x > "a*b"' }, ['bash(echo x)', 'write(./a\\*b)']],
  [{ tool: 'edit', path: 'src/a[1].ts' }, ['edit(./src/a\\[1\\].ts)']],
  [{ tool: 'edit', path: '/etc/hosts' }, ['edit(/etc/hosts)']],
  [{ tool: 'mcp__web__fetch', input: { url: 'https://example.com/x' } }, ['mcp__web__fetch(example.com:443)']],
  [{ tool: 'mcp__db__query' }, ['mcp__db__query']],
])('%j', async (one, expected) => {
  expect(await propose(one)).toEqual(expected);
  expect(await decide({ ...one, session: expected })).toBe('allow');
});

test.each<Case>([
  { command: 'echo $x' },
  { command: 'eval "$x"' },
  { command: 'vitest', pathVariable: '/srv/project/node_modules/.bin' },
  { command: 'ls', isEscalated: true },
  { command: 'ls', deny: ['bash(ls)'] },
  { command: 'cd /tmp && echo x > a' },
  { command: 'FOO=1 make' },
])('%j cannot be expressed', async (one) => {
  expect(await propose(one)).toEqual([]);
});

test.each([
  ['', 'name of a tool'],
  ['bash(', 'must end with'],
  ['bash()', 'has no pattern'],
  ['two words', 'name of a tool'],
  ['bash(ls && rm x)', 'one command without &&'],
  ['bash(ls > x)', 'one command without >'],
  ['bash(echo "x)', 'quote " is not closed'],
  ['edit([z-a])', 'Invalid pattern'],
])('the rule %j is refused', (text, message) => {
  expect(() => parseRule(text)).toThrow(message);
});
