// An abort after the last answer of a subagent but before its task has ended.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAgentSession } from '../../../src/app/sdk.ts';
import type { AgentEvent, SubagentResult } from '../../../src/protocol/index.ts';
import { createScriptedModels } from '../../../src/testing/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const isLastAnswer = (event: AgentEvent) => {
  const inner = event.type === 'subagent_event' ? (event.payload.event as AgentEvent) : undefined;
  return inner?.type === 'message_end' && inner.message.role === 'assistant' && inner.message.stopReason === 'stop';
};

async function runAndAbortAtLastAnswer(isolated: boolean): Promise<{ directory: string; result: SubagentResult }> {
  const directory = createTemporaryDirectory();
  const script = 'echo one > a.txt; git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm state';
  execFileSync('sh', ['-c', script], { cwd: directory });
  const tasks = [{ id: 'Fix', assignment: 'fix it' }];
  const models = createScriptedModels([
    { calls: [{ name: 'task', arguments: { agent: 'task', isolated, tasks } }] },
    { calls: [{ name: 'bash', arguments: { command: 'echo b > b.txt' } }] },
    { text: 'done' },
  ]);
  const agent = await createAgentSession({ cwd: directory, agentDirectory: join(directory, '.git/home'), models });
  let aborting: Promise<void> | undefined;
  agent.subscribe((event) => {
    if (isLastAnswer(event)) aborting ??= agent.session.runs.abort();
  });
  const messages = await agent.prompt('go');
  await aborting;
  await agent.close();
  const toolResult = messages.find((message) => message.role === 'toolResult');
  if (toolResult?.role !== 'toolResult') throw new Error('no result');
  const [result] = (toolResult.details as { results: SubagentResult[] }).results;
  return { directory, result: result as SubagentResult };
}

test('the answer counts as completed', async () => {
  const { result } = await runAndAbortAtLastAnswer(false);
  expect(result).toMatchObject({ exitCode: 0, output: 'done' });
  expect([result.error, result.aborted]).toEqual([undefined, undefined]);
});

test('isolated work is completed and captured but not applied', async () => {
  const { directory, result } = await runAndAbortAtLastAnswer(true);
  expect(result).toMatchObject({ exitCode: 0, applied: false, error: 'Not applied: the run was aborted' });
  expect(readFileSync(result.patchPath ?? '', 'utf8')).toContain('b.txt');
  expect(existsSync(join(directory, 'b.txt'))).toBe(false);
});
