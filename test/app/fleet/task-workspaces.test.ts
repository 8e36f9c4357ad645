// Clones repositories for tasks, and captures and restores their changes.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTaskWorkspaces, removeOldWorkspaces } from '../../../src/app/fleet/worker/task-workspaces.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const { signal } = new AbortController();

function git(cwd: string, ...args: readonly string[]): string {
  const options = ['-C', cwd, '-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'tag.gpgSign=false'];
  return execFileSync('git', [...options, ...args], { encoding: 'utf8' }).trim();
}

function prepare() {
  const ports = createSystemPorts({});
  onTestFinished(() => ports.close());
  const root = createTemporaryDirectory();
  const repository = join(root, 'repository');
  mkdirSync(repository);
  git(repository, 'init', '-q', '-b', 'main');
  const commit = (text: string) => {
    writeFileSync(join(repository, 'file.txt'), `${text}\n`);
    git(repository, 'add', '.');
    git(repository, 'commit', '-q', '-m', text);
    return git(repository, 'rev-parse', 'HEAD');
  };
  const directory = join(root, 'workspaces');
  return { ports, root, repository, commit, directory, workspaces: createTaskWorkspaces(ports, directory) };
}

const readText = (directory: string) => readFileSync(join(directory, 'file.txt'), 'utf8').trim();

test('a commit is found by its hash, its branch and its tag, also if no branch contains it', async () => {
  const { repository, commit, workspaces } = prepare();
  const first = commit('first');
  git(repository, 'tag', 'v1');
  git(repository, 'checkout', '-q', '-b', 'side');
  const side = commit('side');
  git(repository, 'checkout', '-q', 'main');
  const second = commit('second');
  git(repository, 'checkout', '-q', '--detach');
  const detached = commit('detached');
  git(repository, 'checkout', '-q', 'main');
  const wanted = { v1: first, side, main: second, [first]: first, [detached]: detached };
  for (const [name, hash] of Object.entries(wanted)) {
    const workspace = await workspaces.open({ repository, commit: name, signal });
    expect(workspace.commit).toBe(hash);
    expect(git(workspace.cwd, 'rev-parse', 'HEAD')).toBe(hash);
    await workspace.remove();
    expect(existsSync(workspace.cwd)).toBe(false);
  }
  const newest = await workspaces.open({ repository, signal });
  expect(readText(newest.cwd)).toBe('second');
});

test('a change is captured without changing anything, and restored in another workspace', async () => {
  const { repository, commit, workspaces } = prepare();
  const hash = commit('first');
  const first = await workspaces.open({ repository, commit: hash, signal });
  expect(await first.createPatch()).toBeUndefined();
  writeFileSync(join(first.cwd, 'file.txt'), 'changed\n');
  writeFileSync(join(first.cwd, 'new.bin'), Buffer.from([0, 255, 10]));
  git(first.cwd, 'add', 'file.txt');
  git(first.cwd, 'commit', '-q', '-m', 'a commit of the task');
  const patch = await first.createPatch();
  const second = await workspaces.open({ repository, commit: hash, patch, signal });
  expect(readText(second.cwd)).toBe('changed');
  expect([...readFileSync(join(second.cwd, 'new.bin'))]).toEqual([0, 255, 10]);
  expect(await second.createPatch()).toEqual(patch);
  expect(git(repository, 'status', '--porcelain')).toBe('');
});

test('without a repository the work begins with an empty directory', async () => {
  const { workspaces } = prepare();
  const workspace = await workspaces.open({ signal });
  expect(workspace.commit).toBeUndefined();
  expect(await workspace.createPatch()).toBeUndefined();
  writeFileSync(join(workspace.cwd, 'file.txt'), 'new\n');
  const patch = await workspace.createPatch();
  const restored = await workspaces.open({ patch, signal });
  expect(readText(restored.cwd)).toBe('new');
});

test('hooks and filters of a repository do not run', async () => {
  const { root, repository, commit, workspaces } = prepare();
  const hook = `#!/bin/sh\ntouch ${join(root, 'ran')}\n`;
  writeFileSync(join(repository, '.git', 'hooks', 'post-checkout'), hook);
  chmodSync(join(repository, '.git', 'hooks', 'post-checkout'), 0o755);
  writeFileSync(join(repository, '.gitattributes'), '* filter=evil\n');
  git(repository, 'config', 'filter.evil.smudge', `touch ${join(root, 'ran')}`);
  commit('first');
  await workspaces.open({ repository, signal });
  expect(existsSync(join(root, 'ran'))).toBe(false);
});

test('a failure names the repository without its password, and leaves nothing', async () => {
  const { repository, commit, workspaces, directory } = prepare();
  commit('first');
  await expect(workspaces.open({ repository, commit: 'missing', signal })).rejects.toThrow(
    `Cannot clone ${repository}`,
  );
  const address = 'https://user:secret@127.0.0.1:9/app.git';
  const failure = await workspaces.open({ repository: address, signal }).catch((thrown: Error) => thrown.message);
  expect(failure).toContain('Cannot clone https://127.0.0.1:9/app.git');
  expect(failure).not.toContain('secret');
  await expect(workspaces.open({ repository: 'ext::sh -c true', signal })).rejects.toThrow('Cannot clone');
  expect(readdirSync(directory)).toEqual([]);
});

test('workspaces of workers that have ended are removed', async () => {
  const { ports, root } = prepare();
  const parent = join(root, 'all');
  for (const name of ['alive', 'ended']) mkdirSync(join(parent, name), { recursive: true });
  await removeOldWorkspaces(ports, parent, async (name) => name === 'alive');
  expect(readdirSync(parent)).toEqual(['alive']);
});
