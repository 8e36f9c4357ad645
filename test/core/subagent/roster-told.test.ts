// An agent's file that cannot be used is told of once, also when the tools are looked at before there is a session.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAgentSession } from '../../../src/app/sdk.ts';
import { createScriptedModels } from '../../../src/testing/index.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-roster-'));
  mkdirSync(join(directory, 'home/agents'), { recursive: true });
  writeFileSync(join(directory, 'home/agents/scout.md'), 'no head\n');
});
afterEach(() => rmSync(directory, { recursive: true }));

test.each([[undefined], [['read', 'task']]])('with the tools %j', async (toolNames) => {
  const agent = await createAgentSession({
    cwd: directory,
    agentDirectory: join(directory, 'home'),
    models: createScriptedModels([{ text: 'one' }, { text: 'two' }]),
    ...(toolNames ? { toolNames } : {}),
  });
  const told: string[] = [];
  agent.subscribe((event) => void (event.type === 'notice' && told.push(event.message)));
  await agent.prompt('hi');
  await agent.prompt('again');
  await agent.close();
  const path = join(directory, 'home/agents/scout.md');
  expect(told).toEqual([`${path}: the field name is missing; the agent is left out`]);
});
