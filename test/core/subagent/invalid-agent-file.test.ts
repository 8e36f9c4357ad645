// An invalid agent file is reported once, also when the tools are listed before the session exists.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAgentSession } from '../../../src/app/sdk.ts';
import { createScriptedModels } from '../../../src/testing/index.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-agents-'));
  mkdirSync(join(directory, 'home/agents'), { recursive: true });
  writeFileSync(join(directory, 'home/agents/scout.md'), 'no frontmatter\n');
});
afterEach(() => rmSync(directory, { recursive: true }));

test.each([[undefined], [['read', 'task']]])(
  'an invalid agent file is reported once (tools: %j)',
  async (toolNames) => {
    const agent = await createAgentSession({
      cwd: directory,
      agentDirectory: join(directory, 'home'),
      models: createScriptedModels([{ text: 'one' }, { text: 'two' }]),
      ...(toolNames ? { toolNames } : {}),
    });
    const notices: string[] = [];
    agent.subscribe((event) => void (event.type === 'notice' && notices.push(event.message)));
    await agent.prompt('hi');
    await agent.prompt('again');
    await agent.close();
    const path = join(directory, 'home/agents/scout.md');
    expect(notices).toEqual([`${path}: the field name is missing; the agent is ignored`]);
  },
);
