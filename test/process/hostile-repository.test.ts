// An isolated task in a repository whose git configuration names programs: none of them runs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { KEY, type LoopbackServer, type Reply, startAnthropicMessages } from '../llm/servers/anthropic-messages.ts';
import { createDirectories, type ProgramDirectories, startRpc } from '../support/program.ts';

const FLAGS = ['--model', 'anthropic/claude-sonnet-4-5', '--thinking', 'off', '--stream', 'delta'];

async function provider(): Promise<LoopbackServer> {
  const server = await startAnthropicMessages();
  onTestFinished(() => server.close());
  return server;
}

function git(cwd: string, ...args: string[]): void {
  const env = { PATH: process.env.PATH, HOME: '/nowhere', GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@b', '-c', 'advice.addEmbeddedRepo=false'];
  execFileSync('git', [...who, ...args], { cwd, env, stdio: 'pipe' });
}

function repository(cwd: string): void {
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, 'f'), 'one\n');
  git(cwd, 'init', '-q', '-b', 'main');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-qm', 'state');
}

/** Nested repositories, linked like submodules. The innermost has a changed file and a filter that creates the file `mark`. */
function nestedRepositories(programDirectories: ProgramDirectories, levels: number, mark: string): string {
  const paths = Array.from({ length: levels + 1 }, (_, level) =>
    join(programDirectories.cwd, ...Array(level).fill('n')),
  );
  for (const path of paths) repository(path);
  const innermost = paths.at(-1) ?? programDirectories.cwd;
  writeFileSync(join(innermost, '.gitattributes'), 'f filter=evil\n');
  git(innermost, 'add', '-A');
  git(innermost, 'commit', '-qm', 'attributes');
  for (const path of paths.slice(0, -1).reverse()) {
    git(path, 'add', 'n');
    git(path, 'commit', '-qm', 'link');
  }
  git(innermost, 'config', 'filter.evil.clean', `touch ${mark}; cat`);
  writeFileSync(join(innermost, 'f'), 'two\n');
  return paths.at(-2) ?? programDirectories.cwd;
}

const batch: Reply = {
  answer: {
    parts: [
      {
        call: 'toolu_batch',
        name: 'task',
        input: { agent: 'task', isolated: true, tasks: [{ id: 'T', assignment: 'work' }] },
      },
    ],
  },
};

test('a clean filter of a repository seven levels deep does not run', async () => {
  const directories = createDirectories();
  const mark = join(directories.home, 'filter-ran');
  const parent = nestedRepositories(directories, 7, mark);
  // Plain git runs the filter.
  git(parent, 'status');
  expect(existsSync(mark)).toBe(true);
  rmSync(mark);
  const server = await provider();
  const work = { call: 'toolu_1', name: 'bash', input: { command: 'echo three > f; echo four > n/f' } };
  const done: Reply = { answer: { parts: [{ text: 'Done.' }] } };
  server.reply(batch, { answer: { parts: [work] } }, done, done);
  const program = startRpc(FLAGS, { directories, env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url } });
  program.send({ id: 'p', type: 'prompt', message: 'go' });
  const { result } = await program.nextFrame({ type: 'tool_execution_end', toolName: 'task' });
  expect(JSON.stringify(result)).toContain('Applied patches: yes');
  expect(existsSync(mark)).toBe(false);
  expect(execFileSync('cat', ['f', 'n/f'], { cwd: directories.cwd, encoding: 'utf8' })).toBe('three\nfour\n');
});
