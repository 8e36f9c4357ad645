// What restricts a session restricts its subagents in the same way, also in their copies of the repository. Nothing widens it.
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AgentSessionOptions, createAgentSession } from '../../../src/app/sdk.ts';
import type { ApprovalPolicy } from '../../../src/protocol/index.ts';
import { createScriptedModels, type ScriptedToolCall } from '../../../src/testing/index.ts';
import { TestRepository } from './repository.ts';

let repo: TestRepository;
beforeEach(() => {
  repo = new TestRepository();
  for (const [path, text] of [
    ['a.txt', 'a'],
    ['locked/b.txt', 'b'],
    ['secret.txt', 'canary-secret'],
    ['sub/c.txt', 'c'],
  ] as const)
    repo.write(path, text);
  repo.write('../outside.txt', 'canary-outside');
  repo.commit();
});
afterEach(() => repo.close());

interface RunOptions extends AgentSessionOptions {
  /** More arguments of the call that starts the subagent. */
  readonly task?: Record<string, unknown>;
  /** Set when the subagent starts. */
  readonly policyWhileRunning?: ApprovalPolicy;
}

/** Runs a subagent that makes these calls. Returns their results, and the tools that the subagent had. */
async function runSubagent(calls: ScriptedToolCall[], { task = {}, policyWhileRunning, ...options }: RunOptions = {}) {
  const request = { agent: 'task', tasks: [{ id: 'A', assignment: 'go' }], ...task };
  const start = { calls: [{ id: 'start', name: 'task', arguments: request }] };
  const models = createScriptedModels([start, { calls }, { text: 'done' }, { text: 'ok' }]);
  const agent = await createAgentSession({
    ...{ cwd: repo.root, agentDirectory: join(repo.directory, 'home'), home: repo.directory, models, persist: false },
    ...options,
  });
  agent.subscribe(({ type }) => {
    if (type === 'subagent_start' && policyWhileRunning) agent.session.approval.policy = policyWhileRunning;
  });
  await agent.prompt('go');
  await agent.close();
  const results = models.requests[2]?.messages.filter(({ role }) => role === 'toolResult') ?? [];
  return {
    results: results.map((result) => JSON.stringify(result)),
    tools: models.requests[1]?.tools.map(({ name }) => name),
  };
}

const write = (path: string) => ({ name: 'write', arguments: { path, content: 'changed' } });
const read = (path: string) => ({ name: 'read', arguments: { path } });
const bash = (command: string) => ({ name: 'bash', arguments: { command } });

const PLACES = [
  ['in the same directory', {}],
  ['in a copy of the repository', { isolated: true }],
] as const;

describe.each(PLACES)('a subagent %s', (_, task) => {
  test('cannot do what a rule denies, relative, absolute or below the home directory', async () => {
    const deny = [...['edit(sub/**)', `write(${repo.root}/locked/**)`, 'read(~/work/secret.txt)', 'bash(touch *)']];
    const edit = { name: 'edit', arguments: { path: 'sub/c.txt', edits: [{ oldText: 'c', newText: 'd' }] } };
    const calls = [edit, write('locked/b.txt'), write('locked/new.txt'), read('secret.txt'), read('sub/../secret.txt')];
    const { results } = await runSubagent([...calls, bash('touch made')], {
      ...{ task, settings: { 'permissions.deny': deny } },
    });
    expect(results).toHaveLength(calls.length + 1);
    for (const result of results) expect(result).toContain('denies');
    expect(results.join()).not.toContain('canary');
    expect(repo.sh('git status --porcelain')).toBe('');
  });

  test('cannot read the files of sandbox.deniedReads', async () => {
    const { results } = await runSubagent([read('../secret.txt'), read('../a.txt')], {
      ...{ task, cwd: join(repo.root, 'sub') },
      settings: { 'sandbox.deniedReads': [join(repo.root, 'secret.txt')] },
    });
    expect(results[0]).toContain('may not be used by tools');
    expect(results[1]).toContain('"isError":false');
  });

  test('cannot leave its directory with paths: enforce', async () => {
    const outside = join(repo.directory, 'outside.txt');
    const { results } = await runSubagent([read(outside), write(outside), read('../outside.txt'), read('a.txt')], {
      ...{ task, settings: { paths: 'enforce' } },
    });
    for (const result of results.slice(0, 3)) expect(result).toMatch(/is outside the/);
    expect(results.join()).not.toContain('canary');
    expect(results[3]).toContain('"isError":false');
  });

  test('changes nothing when the mode becomes read-only', async () => {
    const { results } = await runSubagent([write('a.txt'), bash('touch made'), read('a.txt')], {
      ...{ task, policyWhileRunning: 'read-only' },
    });
    for (const result of results.slice(0, 2)) expect(result).toContain('the session is read-only');
    expect(results[2]).toContain('"isError":false');
    expect(repo.sh('git status --porcelain')).toBe('');
  });
});

test('neither an agent file nor the arguments of the call add a tool, a rule, a mode or a writable directory', async () => {
  const fields = {
    ...{ tools: ['bash', 'write', 'read'], approval: 'never', mode: 'full', permissionMode: 'bypassPermissions' },
    ...{ permissions: { allow: ['write'] }, 'permissions.allow': ['write'], sandbox: 'off', paths: 'off' },
    ...{ 'sandbox.writableRoots': [repo.directory], cwd: repo.directory, hooks: {}, trusted: true },
  };
  repo.write(
    '.parley/agents/wide.md',
    `---\n${JSON.stringify({ name: 'wide', description: 'Wide', ...fields })}\n---\nGo.\n`,
  );
  const settings: AgentSessionOptions['settings'] = {
    approval: 'on-write',
    paths: 'enforce',
    'permissions.allow': ['task'],
  };
  const calls = [write('a.txt'), bash('touch made'), read(join(repo.directory, 'outside.txt'))];
  const { tools, results } = await runSubagent(calls, {
    ...{ trusted: true, toolNames: ['read', 'write', 'task'], settings },
    task: { agent: 'wide', ...fields, tasks: [{ id: 'A', assignment: 'go', ...fields }] },
  });
  expect(tools?.sort()).toEqual(['read', 'write']);
  expect(results[0]).toContain('it needs an approval, and no host can answer');
  expect(results[1]).toMatch(/bash.*not (found|available|exist)|Unknown tool|no tool/i);
  expect(results[2]).toContain('is outside the working directory');
  expect(repo.sh('git status --porcelain')).toBe('?? .parley/\n');
});
