// The branch of a directory: in repositories, worktrees and submodules, and without a branch.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readGitBranch } from '../../../src/app/modes/read-git-branch.ts';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const { files } = createSystemPorts({});

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

test('a branch, a folder below, a worktree and a detached head', async () => {
  const root = createTemporaryDirectory();
  git(root, 'init', '-q', '-b', 'feature/one');
  expect(await readGitBranch(files, root)).toBe('feature/one');
  mkdirSync(join(root, 'a/b'), { recursive: true });
  expect(await readGitBranch(files, join(root, 'a/b'))).toBe('feature/one');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'x');
  const worktree = join(createTemporaryDirectory(), 'tree');
  git(root, 'worktree', 'add', '-q', '-b', 'two', worktree);
  expect(await readGitBranch(files, worktree)).toBe('two');
  git(root, 'checkout', '-q', '--detach');
  expect(await readGitBranch(files, root)).toBe(git(root, 'rev-parse', 'HEAD').slice(0, 7));
});

test('a relative gitdir, as in submodules', async () => {
  const root = createTemporaryDirectory();
  mkdirSync(join(root, 'modules/sub'), { recursive: true });
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, 'modules/sub/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(root, 'sub/.git'), 'gitdir: ../modules/sub\n');
  expect(await readGitBranch(files, join(root, 'sub'))).toBe('main');
});

test('damaged and hostile files have no branch', async () => {
  const root = createTemporaryDirectory();
  mkdirSync(join(root, '.git'));
  expect(await readGitBranch(files, root)).toBeUndefined();
  writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/.invalid\n');
  expect(await readGitBranch(files, root)).toBeUndefined();
  writeFileSync(join(root, '.git/HEAD'), 'x'.repeat(100_000));
  expect(await readGitBranch(files, root)).toBeUndefined();
  execFileSync('sh', ['-c', 'rm HEAD; mkfifo HEAD'], { cwd: join(root, '.git') });
  expect(await readGitBranch(files, root)).toBeUndefined();
});
