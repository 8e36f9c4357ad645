// `parley permissions`: lists, changes and tests the rules of the user, a project and flags.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories, runProgram } from '../support/program.ts';
import { writeFiles } from './features/feature-program.ts';

function start(settings?: string) {
  const directories = createDirectories();
  const file = join(directories.home, 'settings.json');
  if (settings !== undefined) writeFileSync(file, settings);
  const run = (...args: string[]) => runProgram(['permissions', ...args], '', { directories });
  const decide = async (...args: string[]) => JSON.parse((await run('test', '--json', ...args)).stdout);
  return { directories, file, run, decide, read: () => readFileSync(file, 'utf8') };
}

test('list names the mode, and for each rule its decision, scope and origin', async () => {
  const { directories, file, run } = start('{"approval":"ask","permissions":{"allow":["bash(npm test)"]}}');
  const project = JSON.stringify({ permissions: { deny: ['read(.env)'], allow: ['bash'] } });
  writeFiles(directories.cwd, { '.parley/settings.json': project });
  const untrusted = await run('--json', '--set', 'permissions.ask=["edit"]');
  const own = { decision: 'allow', rule: 'bash(npm test)', scope: 'user', origin: file };
  const given = { decision: 'ask', rule: 'edit', scope: 'user', origin: '--set' };
  expect(JSON.parse(untrusted.stdout)).toEqual({ mode: 'ask', origin: file, rules: [given, own] });
  expect(untrusted.stderr).toContain('This project is not trusted: .parley/settings.json ignored.');
  const { stdout, stderr } = await run('list', '--trust', '--deny', 'bash(git push)', '--approval-mode', 'always-ask');
  expect(stdout).toMatch(/^Mode: ask \(from: --approval-mode\)\n\ndecision +rule +scope +from\n/);
  expect(stdout).toMatch(/^deny +read\(\.env\) +project +\S+\/\.parley\/settings\.json$/m);
  expect(stdout).toMatch(/^deny +bash\(git push\) +user +--deny$/m);
  expect(stdout).not.toMatch(/bash +project/);
  expect(stderr).toContain(
    'permissions.allow of a project is used only if the user sets permissions.allowProjectRules',
  );
});

test('an invalid rule is reported by list, and makes test fail', async () => {
  const { file, run } = start(`{"permissions.deny":["bash(echo 'x)"]}`);
  expect(await run()).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`${file}:1: The permission rule "bash(`),
  });
  expect(await run('test', 'bash(ls)')).toMatchObject({ code: 2, stdout: '' });
});

test.each([
  ['a file that is not JSON', '{"permissions.deny":["bash(x)"],', 'is not JSON'],
  ['a rule without an end', '{"permissions.deny":["bash("]}', 'permissions.deny[0] must be TOOL or TOOL(PATTERN)'],
])('list says that no session starts: %s', async (_, settings, reason) => {
  const { file, run } = start(settings);
  const { code, stdout } = await run('list');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Mode: full \(from: default\)\nNo session starts with these settings: /);
  expect(stdout).toContain(file);
  expect(stdout).toContain(reason);
  expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject({ problem: expect.stringContaining(reason) });
});

test('add appends, keeps comments, and reports duplicates and rules in other lists', async () => {
  const { file, run, read } = start('{\n  // mine\n  "permissions": { "deny": ["bash(rm *)"] }\n}\n');
  expect(await run('add', 'deny', ' bash(git push) ')).toMatchObject({
    code: 0,
    stdout: `Added to permissions.deny in ${file}: bash(git push)\n`,
  });
  const before = read();
  expect(before).toContain('// mine');
  expect(before.replaceAll(/\s/g, '')).toContain('"deny":["bash(rm*)","bash(gitpush)"]');
  expect((await run('add', 'deny', 'bash(git push)')).stdout).toContain('already. Nothing was changed.');
  expect(read()).toBe(before);
  const { stdout } = await run('add', 'allow', 'bash(git push)');
  expect(stdout).toContain('bash(git push) is also in permissions.deny, and deny wins.');
  expect(await run('add', 'deny', 'edit([)')).toMatchObject({ code: 2 });
  expect((await run('add', 'ask', 'bahs(x)')).stderr).toContain('There is no built-in tool bahs (did you mean bash?)');
});

test('rules that are added at the same time are all kept', async () => {
  const { run, read } = start();
  const rules = ['bash(a)', 'bash(b)', 'bash(c)', 'bash(d)'];
  const outcomes = await Promise.all(rules.map((rule) => run('add', 'deny', rule)));
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(JSON.parse(read())['permissions.deny'].sort()).toEqual(rules);
});

test('an unknown option is named, followed by the usage', async () => {
  const { code, stderr } = await start().run('test', 'bash(ls)', '--foo');
  const [message, usage] = stderr.split('\n\n');
  expect([code, message]).toEqual([2, "Error: Unknown option '--foo'. Write -- before arguments that begin with -"]);
  expect(usage).toMatch(/^Usage: parley permissions /);
});

test('remove takes the rule out of all lists, or of one', async () => {
  const { file, run, read } = start('{"permissions.deny":["bash(x)","bash(y)"],"permissions.allow":["bash(x)"]}');
  expect((await run('remove', 'deny', 'bash(x)')).stdout).toBe(`Removed from permissions.deny in ${file}: bash(x)\n`);
  expect(JSON.parse(read())).toEqual({ 'permissions.deny': ['bash(y)'], 'permissions.allow': ['bash(x)'] });
  expect(await run('remove', 'bash(x)')).toMatchObject({ code: 0 });
  expect(JSON.parse(read())).toEqual({ 'permissions.deny': ['bash(y)'] });
  const { code, stderr } = await run('remove', 'bash(x)');
  expect(code).toBe(1);
  expect(stderr).toBe(`Error: There is no rule bash(x) in ${file}. \`parley permissions list\` shows all rules.\n`);
});

test.each([
  ['a list that is invalid', '{"permissions.deny":["bash(x)", 5]}', 'Fix it first.'],
  [
    'an object with two lists of the same key',
    '{"permissions.deny":["bash(x)"],"permissions.deny":["bash(y)"]}',
    'line 1 contains "permissions.deny" a second time',
  ],
])('%s is not changed, so that no rule is lost', async (_what, settings, words) => {
  const { run, read } = start(settings);
  const { code, stderr } = await run('add', 'deny', 'bash(z)');
  expect(code).toBe(2);
  expect(stderr).toContain(words);
  expect(read()).toBe(settings);
});

test('a list that is given nested and dotted is one list for add and remove', async () => {
  const settings = '{"permissions":{"deny":["bash(x)"]},"permissions.deny":["bash(y)"]}';
  const { run, read } = start(settings);
  expect(await run('add', 'deny', 'bash(z)')).toMatchObject({ code: 0 });
  expect(await run('remove', 'bash(y)')).toMatchObject({ code: 0 });
  expect(JSON.parse(read())).toEqual({ permissions: {}, 'permissions.deny': ['bash(x)', 'bash(z)'] });
});

test('test names the rule, where it comes from, and every part', async () => {
  const { file, run, decide } = start('{"permissions.deny":["bash(git push)"],"permissions.allow":["bash(echo *)"]}');
  expect(await decide('bash(echo a && git push)', '--approval-mode', 'ask')).toEqual({
    decision: 'deny',
    rule: 'bash(git push)',
    scope: 'user',
    reason: 'the rule bash(git push) (user) denies it',
    parts: [
      expect.objectContaining({ text: 'echo a', decision: 'allow', rule: 'bash(echo *)' }),
      expect.objectContaining({ text: 'git push', decision: 'deny', rule: 'bash(git push)' }),
    ],
  });
  const { code, stdout } = await run('test', 'bash(echo a && git push)', '--approval-mode', 'ask');
  expect(code).toBe(0);
  expect(stdout).toContain(`Decision: deny\nRule:     bash(git push)\nFrom:     user, ${file}\n`);
  expect(stdout).toMatch(/^allow +echo a +the rule bash\(echo \*\) \(user\) allows it$/m);
});

test('test uses the declarations of the tools, and the flags', async () => {
  const { decide, directories } = start('{"approval":"auto-edit"}');
  const flags = ['--deny', 'bash(git push)', '--deny', 'read(secrets)', '--allow', 'mcp__web__*(example.com)'];
  const decisions = async (...calls: string[]) => {
    const results = await Promise.all(calls.map((call) => decide(call, ...flags)));
    return results.map(({ decision }) => decision);
  };
  expect(await decisions('edit(a.ts)', 'grep(src)', 'bash(ls)', 'task', 'todo_write')).toEqual([
    'allow',
    'allow',
    'ask',
    'ask',
    'allow',
  ]);
  expect(await decisions('write(secrets/a)', 'read(secrets)', 'Read(b)', 'task(git push)')).toEqual([
    'deny',
    'deny',
    'allow',
    'deny',
  ]);
  expect(await decisions('mcp__web__get(https://example.com/)', 'mcp__web__get(https://a.com)', 'unknown')).toEqual([
    'allow',
    'ask',
    'ask',
  ]);
  writeFiles(join(directories.cwd, 'other/.parley'), { 'settings.json': '{"approval":"read-only"}' });
  expect(await decide('edit(a)', '--cwd', 'other', '--trust')).toMatchObject({ decision: 'deny' });
});

test('test does not trust a program in a writable root', async () => {
  const { decide, directories } = start();
  const flags = ['--approval-mode', 'ask', '--allow', 'bash(tool *)', '--allow', 'bash(./tool *)'];
  writeFiles(directories.cwd, { tool: '' });
  expect(await decide('bash(./tool x)', ...flags)).toMatchObject({ decision: 'allow', rule: 'bash(./tool *)' });
  expect(await decide('bash(tool x)', ...flags)).toMatchObject({ decision: 'ask', rule: null });
});

test('test agrees with a session: read-only denies a command that a rule asks about, and names the rule', async () => {
  const { decide } = start('{"approval":"read-only","permissions.ask":["bash(cat)","read(*.pem)"]}');
  expect(await decide('bash(cat a)')).toMatchObject({
    decision: 'deny',
    rule: 'bash(cat)',
    scope: 'user',
    reason: 'the rule bash(cat) (user) asks about it, and the mode read-only denies what would need an answer',
  });
  expect(await decide('read(key.pem)')).toMatchObject({ decision: 'ask', rule: 'read(*.pem)' });
});
