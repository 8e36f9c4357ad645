// The files and terminals of the host in a complete session: its tools and approval previews use them, its subagents do not.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAgentSession, extractText, type Hooks } from '../../../src/app/sdk.ts';
import type { HostServices } from '../../../src/contracts/index.ts';
import { createScriptedModels, type ScriptedToolCall, type ScriptStep } from '../../../src/testing/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

/** Runs the script with a host that has an unsaved buffer of a.txt. Returns the tool results of the last request. */
async function run(script: readonly ScriptStep[], hooks: Hooks = {}) {
  const cwd = createTemporaryDirectory();
  writeFileSync(join(cwd, 'a.txt'), 'saved\n');
  const models = createScriptedModels(script);
  const agentDirectory = createTemporaryDirectory();
  const agent = await createAgentSession({ cwd, agentDirectory, models, hooks: [hooks] });
  onTestFinished(() => agent.close());
  const requests: string[] = [];
  const hostServices: HostServices = {
    files: {
      async readText() {
        requests.push('read');
        return 'unsaved\n';
      },
    },
    createTerminalRunner:
      ({ toolCallId }) =>
      async ({ command, onOutput }) => {
        requests.push(`${toolCallId} ${command}`);
        onOutput(new TextEncoder().encode('from the terminal\n'));
        return { exitCode: 0 };
      },
  };
  agent.session.tools.hostServices = hostServices;
  await agent.prompt('go');
  const results = models.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'toolResult'));
  return { requests, results: results.map(({ content }) => extractText(content)) };
}

const call = (name: string, args: Record<string, unknown>): ScriptedToolCall => ({ id: 'c1', name, arguments: args });

test('tools use the buffers and the terminals of the host', async () => {
  const { requests, results } = await run([
    { calls: [call('read', { path: 'a.txt' }), { ...call('bash', { command: 'pwd' }), id: 'c2' }] },
    { text: 'Done.' },
  ]);
  expect(results).toEqual(['unsaved\n', 'from the terminal\n']);
  expect(requests).toEqual(['read', 'c2 pwd']);
});

test('the preview for an approval shows the change of the buffer', async () => {
  const previews: (string | undefined)[] = [];
  const args = { path: 'a.txt', oldText: 'unsaved', newText: 'edited' };
  const toolCall: Hooks['toolCall'] = async ({ previewDiff }) => {
    previews.push(await previewDiff(args));
    return { block: true, reason: 'No.' };
  };
  await run([{ calls: [call('edit', args)] }, { text: 'Done.' }], { toolCall });
  expect(previews).toEqual([expect.stringContaining('edited')]);
});

test('subagents use the files and the shell of the program', async () => {
  const tasks = [{ id: 'Look', assignment: 'look' }];
  const { requests, results } = await run([
    { calls: [call('task', { agent: 'task', tasks })] },
    { calls: [call('read', { path: 'a.txt' }), { ...call('bash', { command: 'echo own' }), id: 'c2' }] },
    { text: 'Looked.' },
    { text: 'Done.' },
  ]);
  expect(requests).toEqual([]);
  expect(results.slice(0, 2)).toEqual(['saved\n', 'own\n']);
});
