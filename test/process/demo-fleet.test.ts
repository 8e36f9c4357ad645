// Starts the fleet for a first look, ends a node during a run, and ends the fleet.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHAT_MODEL_FLAGS, startChatProvider } from '../support/chat-provider.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Node {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function call({ url, token }: Node, path: string, body: object = {}) {
  const response = await fetch(`${url}v1/sessions${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as { data: Record<string, unknown> };
}

test('the run of a node that is killed continues on the other, and nothing is left at the end', async () => {
  const provider = await startChatProvider();
  const directories = provider.createDirectories();
  const takeover = ['--set', 'database.takeoverSeconds=2'];
  const fleet = startProgram(['serve', '--demo-fleet', '2', '--json', ...CHAT_MODEL_FLAGS, ...takeover], {
    directories,
  });
  const started = JSON.parse(String((await fleet.nextFrame({ type: 'unreadable' })).text)) as { nodes: Node[] };
  const [first, second] = started.nodes as [Node, Node];
  provider.add(
    { calls: [{ name: 'bash', arguments: { command: 'touch running; exec sleep 1000' } }] },
    { text: 'continued' },
  );
  const { data } = await call(first, '');
  await call(first, `/${data.sessionId}/commands/prompt`, { message: 'go' });
  await waitUntil(() => existsSync(join(directories.cwd, 'running')));
  process.kill(first.pid, 'SIGKILL');
  await waitUntil(() => provider.requests.length === 2);
  await waitUntil(async () => {
    const { data: last } = await call(second, `/${data.sessionId}/commands/get_last_assistant_text`);
    return last?.text === 'continued';
  });
  fleet.kill('SIGTERM');
  expect(await fleet.exited).toMatchObject({
    code: 143,
    stderr: `Node 1 (process ${first.pid}) has ended. The other nodes continue its runs.\n`,
  });
  await waitUntil(() => !isAlive(second.pid));
});

test.each(['0', 'x', '11'])('a fleet of %s nodes is refused', async (count) => {
  const { code, stderr } = await runProgram(['serve', '--demo-fleet', count]);
  expect(code).toBe(2);
  expect(stderr).toContain(`--demo-fleet must be a number from 1 to 10 (got ${count})`);
});
