// Tool hooks of a session also apply to its subagents; agents of a project need trust.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAgentSession } from '../../../src/app/sdk.ts';
import type { Hooks } from '../../../src/contracts/index.ts';
import { extractText } from '../../../src/protocol/index.ts';
import { createScriptedModels, type ScriptStep } from '../../../src/testing/index.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-guards-'));
  mkdirSync(join(directory, 'work/.parley/agents'), { recursive: true });
  writeFileSync(
    join(directory, 'work/.parley/agents/a.md'),
    '---\nname: local\ndescription: Of the project\n---\nHi.\n',
  );
});
afterEach(() => rmSync(directory, { recursive: true }));

async function run(script: ScriptStep[], options: { hooks?: Hooks[]; trusted?: boolean } = {}) {
  const models = createScriptedModels(script);
  const cwd = join(directory, 'work');
  const agent = await createAgentSession({ cwd, agentDirectory: join(directory, 'home'), models, ...options });
  const messages = await agent.prompt('go');
  await agent.close();
  const toolResult = messages.find((message) => message.role === 'toolResult');
  return { models, text: toolResult?.role === 'toolResult' ? extractText(toolResult.content) : '' };
}

const createTaskCall = (agent: string): ScriptStep => ({
  calls: [{ name: 'task', arguments: { agent, tasks: [{ id: 'A', assignment: 'do it' }] } }],
});

test('a tool that is blocked for the session is blocked for its subagents', async () => {
  const hookCalls: string[] = [];
  const hook: Hooks = {
    async toolCall({ toolName }) {
      hookCalls.push(toolName);
      return toolName === 'bash' ? { block: true, reason: 'No shell today.' } : undefined;
    },
    async input() {
      hookCalls.push('input');
      return undefined;
    },
  };
  const bash: ScriptStep = { calls: [{ name: 'bash', arguments: { command: `touch ${directory}/canary` } }] };
  const { models } = await run([createTaskCall('task'), bash, { text: 'The shell is blocked.' }, { text: 'ok' }], {
    hooks: [hook],
  });
  // The prompt of the subagent does not call the input hook.
  expect(hookCalls).toEqual(['input', 'task', 'bash']);
  expect(JSON.stringify(models.requests[2]?.messages)).toContain('No shell today.');
});

test('an agent of an untrusted project is unknown', async () => {
  const { text } = await run([createTaskCall('local'), { text: 'ok' }]);
  expect(text).toBe('Unknown agent "local". Available: explore, plan, reviewer, task, quick_task');
});

test('an agent of a trusted project is listed for the model and can be started', async () => {
  const { models, text } = await run([createTaskCall('local'), { text: 'hello' }, { text: 'ok' }], { trusted: true });
  expect(text).toContain('## A: completed (local');
  expect(models.requests[0]?.tools.find(({ name }) => name === 'task')?.description).toContain(
    '- local: Of the project',
  );
  expect(models.requests[1]?.systemPrompt.startsWith('Hi.')).toBe(true);
});
