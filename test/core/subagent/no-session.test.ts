// A session that is not saved: the files of its tasks are removed at the end, except for changes that were not applied.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAgentSession } from '../../../src/app/sdk.ts';
import type { AgentMessage, SubagentResult } from '../../../src/protocol/index.ts';
import { createScriptedModels } from '../../../src/testing/index.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-no-session-'));
  writeFileSync(join(directory, 'a.txt'), 'one\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: directory });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'state');
});
afterEach(() => rmSync(directory, { recursive: true }));

async function run(commands: readonly { name: string; command: string }[]): Promise<SubagentResult> {
  const tasks = [{ id: 'Fix', assignment: 'fix it' }];
  const models = createScriptedModels([
    { calls: [{ name: 'task', arguments: { agent: 'task', isolated: true, verify: { commands }, tasks } }] },
    { calls: [{ name: 'bash', arguments: { command: 'echo b > b.txt' } }] },
    { text: 'done' },
    { text: 'all done' },
  ]);
  const agent = await createAgentSession({
    cwd: directory,
    agentDirectory: join(directory, '.git/home'),
    persist: false,
    models,
  });
  const messages: AgentMessage[] = await agent.prompt('go');
  await agent.close();
  const toolResult = messages.find((message) => message.role === 'toolResult');
  return (
    toolResult?.role === 'toolResult' ? (toolResult.details as { results: SubagentResult[] }).results[0] : undefined
  ) as SubagentResult;
}

test('the files of applied work are removed', async () => {
  const { exitCode, patchPath = '' } = await run([{ name: 'ok', command: 'true' }]);
  expect([exitCode, existsSync(join(directory, 'b.txt')), existsSync(dirname(patchPath))]).toEqual([0, true, false]);
});

test('the patch of work that was not applied is kept at the reported path', async () => {
  const { exitCode, patchPath = '' } = await run([{ name: 'no', command: 'false' }]);
  expect([exitCode, existsSync(join(directory, 'b.txt')), existsSync(patchPath)]).toEqual([1, false, true]);
  rmSync(dirname(patchPath), { recursive: true });
});
