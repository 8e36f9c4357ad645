// Commands of an isolated subagent run in the sandbox of its parent. Its worktree is the writable directory.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAgentSession } from '../../src/app/sdk.ts';
import { createScriptedModels } from '../../src/testing/index.ts';
import { createMachine } from './sandboxed-program.ts';

const SCRIPT = `
echo changed > a.txt
echo escaped > "$MAIN/a.txt"; echo escaped > "$MAIN/new.txt"; echo escaped > "$MAIN/../new.txt"
mkdir -p .parley; echo '{}' > .parley/settings.json
cat secret.txt ../*/secret.txt "$MAIN/secret.txt"
echo ended
`;

test('a command changes only its copy, and reads no denied file in it', async () => {
  const { home, cwd } = createMachine({ 'work/a.txt': 'a\n', 'work/secret.txt': 'canary-3e9b\n' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'state');
  const task = { agent: 'task', isolated: true, tasks: [{ id: 'A', assignment: 'go' }] };
  const models = createScriptedModels([
    { calls: [{ name: 'task', arguments: task }] },
    { calls: [{ name: 'bash', arguments: { command: `MAIN='${cwd}'; ${SCRIPT}` } }] },
    { text: 'done' },
    { text: 'ok' },
  ]);
  const agent = await createAgentSession({
    ...{ cwd, home, agentDirectory: join(home, '.parley'), models, persist: false },
    settings: { sandbox: 'workspace-write', 'sandbox.deniedReads': ['work/secret.txt'] },
  });
  await agent.prompt('go');
  await agent.close();
  const result = JSON.stringify(models.requests[2]?.messages);
  expect(result).toContain('ended');
  expect(result).not.toContain('canary-3e9b');
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('changed\n');
  expect(git('status', '--porcelain')).toBe(' M a.txt\n');
  expect(existsSync(join(home, 'new.txt'))).toBe(false);
});
