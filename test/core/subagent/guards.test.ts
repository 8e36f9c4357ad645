// Whoever guards the tools of a session guards those of its subagents; a project's agents count only when it is trusted.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAgentSession } from '../../../src/app/sdk.ts';
import type { Hooks } from '../../../src/contracts/index.ts';
import { textOf } from '../../../src/protocol/index.ts';
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
  const made = await agent.prompt('go');
  await agent.close();
  const answer = made.find((message) => message.role === 'toolResult');
  return { models, text: answer?.role === 'toolResult' ? textOf(answer.content) : '' };
}

const call = (agent: string): ScriptStep => ({
  calls: [{ name: 'task', arguments: { agent, tasks: [{ id: 'A', assignment: 'do it' }] } }],
});

test('a tool that is blocked for the session is blocked for its subagents', async () => {
  const seen: string[] = [];
  const guard: Hooks = {
    async toolCall({ toolName }) {
      seen.push(toolName);
      return toolName === 'bash' ? { block: true, reason: 'No shell today.' } : undefined;
    },
    async input() {
      seen.push('input');
      return undefined;
    },
  };
  const bash: ScriptStep = { calls: [{ name: 'bash', arguments: { command: `touch ${directory}/canary` } }] };
  const { models } = await run([call('task'), bash, { text: 'I may not.' }, { text: 'ok' }], { hooks: [guard] });
  // What was said to the subagent is nobody's input.
  expect(seen).toEqual(['input', 'task', 'bash']);
  expect(JSON.stringify(models.requests[2]?.messages)).toContain('No shell today.');
});

test('an agent of a project that is not trusted does not exist', async () => {
  const { text } = await run([call('local'), { text: 'ok' }]);
  expect(text).toBe('Unknown agent "local". Available: explore, plan, reviewer, task, quick_task');
});

test('an agent of a trusted project is offered and started', async () => {
  const { models, text } = await run([call('local'), { text: 'hello' }, { text: 'ok' }], { trusted: true });
  expect(text).toContain('## A: completed (local');
  expect(models.requests[0]?.tools.find(({ name }) => name === 'task')?.description).toContain(
    '- local: Of the project',
  );
  expect(models.requests[1]?.systemPrompt.startsWith('Hi.')).toBe(true);
});
