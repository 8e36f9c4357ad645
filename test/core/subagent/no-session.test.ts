// A session that is not kept: what its tasks leave goes with it, unless it is work that exists nowhere else.
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
  directory = mkdtempSync(join(tmpdir(), 'parley-unkept-'));
  writeFileSync(join(directory, 'a.txt'), 'one\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: directory });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'state');
});
afterEach(() => rmSync(directory, { recursive: true }));

async function run(commands: readonly { name: string; command: string }[]): Promise<SubagentResult> {
  const tasks = [{ id: 'Fix', assignment: 'mend it' }];
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
  const made: AgentMessage[] = await agent.prompt('go');
  await agent.close();
  const answer = made.find((message) => message.role === 'toolResult');
  return (
    answer?.role === 'toolResult' ? (answer.details as { results: SubagentResult[] }).results[0] : undefined
  ) as SubagentResult;
}

test('applied work leaves nothing behind', async () => {
  const { exitCode, patchPath = '' } = await run([{ name: 'ok', command: 'true' }]);
  expect([exitCode, existsSync(join(directory, 'b.txt')), existsSync(dirname(patchPath))]).toEqual([0, true, false]);
});

test('work that was not applied can still be found where the answer says', async () => {
  const { exitCode, patchPath = '' } = await run([{ name: 'no', command: 'false' }]);
  expect([exitCode, existsSync(join(directory, 'b.txt')), existsSync(patchPath)]).toEqual([1, false, true]);
  rmSync(dirname(patchPath), { recursive: true });
});
