// Isolated tasks on real repositories: exact worktrees, a main tree that only the merge changes, complete cleanup.
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestRepository } from './repository.ts';

let repo: TestRepository;
beforeEach(() => {
  repo = new TestRepository();
});
afterEach(() => repo.close());

const read = (path: string) => readFileSync(join(repo.root, path), 'utf8');
const listLeftovers = () =>
  readdirSync(join(repo.directory, 'worktrees'), { recursive: true }).filter((name) => String(name).includes('/'));

/** Creates files of every state: committed, staged, changed, staged and changed again, deleted, untracked, binary, links, modes. */
function createDirtyTree(): void {
  repo.write('.gitignore', 'ignored\n');
  for (const name of ['plain', 'changed', 'both', 'gone', 'dir/deep', 'with space/ü.txt'])
    repo.write(name, `${name}\n`);
  repo.write('binary', Buffer.from([0, 1, 2, 255, 0]));
  repo.commit();
  repo.write('staged', 'staged\n');
  repo.write('both', 'first\n');
  repo.sh('git add staged both && rm gone && chmod +x plain && ln -s plain link');
  repo.write('both', 'second\n');
  repo.write('changed', 'changed twice\n');
  repo.write('binary', Buffer.from([9, 0, 255]));
  repo.write('new/untracked', 'new\n');
  repo.write('ignored', 'secret\n');
}

test('a workspace has the exact state of the main tree, which stays unchanged', async () => {
  createDirtyTree();
  const before = repo.state();
  const isolation = await repo.isolate();
  const { cwd, remove } = await isolation.createWorkspace('A');
  const statusCommands =
    'git status --porcelain=v2 --untracked-files=all && git diff --binary && git diff --cached --binary && git rev-parse HEAD';
  expect(repo.sh(statusCommands, cwd)).toBe(repo.sh(statusCommands));
  for (const name of ['plain', 'both', 'binary', 'new/untracked', 'with space/ü.txt', 'dir/deep']) {
    expect(readFileSync(join(cwd, name))).toEqual(readFileSync(join(repo.root, name)));
    expect(statSync(join(cwd, name)).mode & 0o111).toBe(statSync(join(repo.root, name)).mode & 0o111);
  }
  expect(readlinkSync(join(cwd, 'link'))).toBe('plain');
  expect(existsSync(join(cwd, 'gone')) || existsSync(join(cwd, 'ignored'))).toBe(false);
  expect(statSync(join(repo.directory, 'worktrees')).mode & 0o077).toBe(0);
  await remove();
  await isolation.close();
  expect(repo.state()).toBe(before);
  expect(listLeftovers()).toEqual([]);
});

test('changes are merged into a dirty tree without changing the index', async () => {
  createDirtyTree();
  const staged = repo.sh('git diff --cached --binary');
  const { text, results } = await repo.runTasks([
    'echo more >> both; rm plain; printf "\\0\\7" > binary; git mv dir/deep dir/moved; ln -sfn both link; echo x > "a b"; chmod +x changed; git add -A; git commit -qm mine',
  ]);
  expect(text).toBe('Applied patches: yes');
  expect(read('both')).toBe('second\nmore\n');
  expect(existsSync(join(repo.root, 'plain')) || existsSync(join(repo.root, 'dir/deep'))).toBe(false);
  expect([read('dir/moved'), read('a b')]).toEqual(['dir/deep\n', 'x\n']);
  expect(readFileSync(join(repo.root, 'binary'))).toEqual(Buffer.from([0, 7]));
  expect(readlinkSync(join(repo.root, 'link'))).toBe('both');
  expect(lstatSync(join(repo.root, 'changed')).mode & 0o111).not.toBe(0);
  expect(repo.sh('git diff --cached --binary')).toBe(staged);
  expect(repo.sh('git log --oneline | wc -l').trim()).toBe('1');
  expect(statSync(results[0]?.patchPath ?? '').mode & 0o077).toBe(0);
  expect(listLeftovers()).toEqual([]);
});

test('changes of several tasks to different lines of one file are all applied', async () => {
  repo.write('list', Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join(''));
  repo.commit();
  const { text } = await repo.runTasks([
    'sed -i "s/line 2$/two/" list',
    'sed -i "s/line 35$/thirty-five/" list',
    'echo n > n',
  ]);
  expect(text).toBe('Applied patches: yes');
  expect([read('list').includes('two\n'), read('list').includes('thirty-five\n'), read('n')]).toEqual([
    true,
    true,
    'n\n',
  ]);
});

test('after a conflict nothing is applied and all patches are kept', async () => {
  repo.write('a', 'one\n');
  repo.commit();
  const before = repo.state();
  const { text, results } = await repo.runTasks(['echo two > a', 'echo three > a', 'echo b > b']);
  expect(text).toContain('Patches were not applied and must be handled manually.');
  expect(repo.state()).toBe(before);
  for (const { patchPath } of results) {
    expect(text).toContain(patchPath);
    expect(readFileSync(patchPath ?? '', 'utf8')).toContain('diff --git');
  }
});

test('when one task fails, no change of the call is applied', async () => {
  repo.write('a', 'one\n');
  repo.commit();
  const before = repo.state();
  const { text } = await repo.runTasks(['echo two > a', 'echo b > b'], 'patch', [0, 1]);
  expect(text).toContain('T1 did not succeed');
  expect(repo.state()).toBe(before);
});

test('a change that is already in the main tree is accepted', async () => {
  repo.write('a', 'one\n');
  repo.commit();
  const isolation = await repo.isolate();
  const workspace = await isolation.createWorkspace('A');
  repo.sh('echo two > a; echo n > n', workspace.cwd);
  const captured = await workspace.capture({ asBranch: false, createMessage: () => '' });
  await workspace.remove();
  repo.sh('echo two > a; echo n > n');
  const before = repo.state();
  const { createTaskResult } = await import('./repository.ts');
  expect(await isolation.merge([{ ...createTaskResult(0), ...captured }])).toEqual({
    text: 'Applied patches: yes',
    isComplete: true,
  });
  await isolation.close();
  expect(repo.state()).toBe(before);
});

test('changes made in the main tree while the task ran are kept', async () => {
  repo.write('list', Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join(''));
  repo.commit();
  const isolation = await repo.isolate();
  const workspace = await isolation.createWorkspace('A');
  repo.sh('sed -i "s/line 2$/two/" list', workspace.cwd);
  const captured = await workspace.capture({ asBranch: false, createMessage: () => '' });
  await workspace.remove();
  repo.sh('sed -i "s/line 30$/thirty/" list; echo mine > mine');
  const { createTaskResult } = await import('./repository.ts');
  expect(await isolation.merge([{ ...createTaskResult(0), ...captured }])).toEqual({
    text: 'Applied patches: yes',
    isComplete: true,
  });
  await isolation.close();
  expect([read('list').includes('two\n'), read('list').includes('thirty\n'), read('mine')]).toEqual([
    true,
    true,
    'mine\n',
  ]);
});

test('a change of the same size within the same timestamp is detected', async () => {
  repo.write('a', 'one\n');
  repo.commit();
  for (let n = 0; n < 5; n++) {
    repo.sh(`printf 'main%s\\n' ${n} > a && git add a && printf 'work%s\\n' ${n} > a`);
    const { text } = await repo.runTasks([`printf 'task%s\\n' ${n} > a`]);
    expect([text, read('a')]).toEqual(['Applied patches: yes', `task${n}\n`]);
    expect(repo.sh('git show :a')).toBe(`main${n}\n`);
  }
});

test('a task without changes has no patch', async () => {
  repo.write('a', 'one\n');
  repo.commit();
  const { text, results } = await repo.runTasks(['true']);
  expect([text, results[0]?.patchPath]).toEqual(['No changes to apply.', undefined]);
});

describe('branches', () => {
  test('each task becomes a commit on HEAD; uncommitted changes are preserved', async () => {
    createDirtyTree();
    const staged = repo.sh('git diff --cached --binary');
    const { text } = await repo.runTasks(['echo a > a', 'echo b > b'], 'branch');
    expect(text).toBe('Merged 2 branches: parley/task/T0, parley/task/T1');
    expect(repo.sh('git log --format=%s').trim().split('\n')).toEqual(['Task 1', 'Task 0', 'state']);
    expect(repo.sh('git for-each-ref --format="%(refname)"').trim()).toBe('refs/heads/main');
    expect(repo.sh('git diff --cached --binary')).toBe(staged);
    expect([read('both'), read('a')]).toEqual(['second\n', 'a\n']);
    expect(repo.sh('git status --porcelain -- a b')).toBe('');
  });

  test('merging stops at the first conflict; that branch and the later ones are kept', async () => {
    repo.write('a', 'one\n');
    repo.commit();
    const { text, results } = await repo.runTasks(['echo two > a', 'echo three > a', 'echo b > b'], 'branch');
    expect(text).toBe(
      'Merged 1 branches: parley/task/T0\nNot merged, must be merged manually: parley/task/T1, parley/task/T2',
    );
    expect(read('a')).toBe('two\n');
    expect(results[1]?.error).toBe('Merge failed: parley/task/T1 does not apply');
    expect(repo.sh('git for-each-ref --format="%(refname:short)"').trim().split('\n')).toEqual([
      'main',
      'parley/task/T1',
      'parley/task/T2',
    ]);
    expect(repo.sh('git show parley/task/T1:a')).toBe('three\n');
  });
});

describe('nested repositories', () => {
  test('a submodule and an untracked repository are copied, and their changes are merged into them', async () => {
    const other = join(repo.directory, 'other');
    repo.init(other);
    repo.write('lib', 'lib\n', other);
    repo.commit(other);
    repo.write('a', 'one\n');
    repo.commit();
    repo.sh(`git -c protocol.file.allow=always submodule add -q ${other} sub && git commit -qm sub`);
    repo.write('sub/dirty', 'dirty\n');
    repo.init(join(repo.root, 'inner'));
    repo.write('inner/file', 'inner\n');
    repo.commit(join(repo.root, 'inner'));
    repo.init(join(repo.root, 'fresh'));
    const { text, results } = await repo.runTasks([
      'cat sub/dirty inner/file > both; echo changed > sub/lib; echo more >> inner/file; echo two > a; cd sub; git add -A; git -c user.name=x -c user.email=x commit -qm inside',
    ]);
    expect(text).toBe('Applied patches: yes');
    expect([read('a'), read('both'), read('sub/lib'), read('inner/file'), read('sub/dirty')]).toEqual([
      'two\n',
      'dirty\ninner\n',
      'changed\n',
      'inner\nmore\n',
      'dirty\n',
    ]);
    expect(results[0]?.nestedPatches?.map(({ path }) => path)).toEqual(['sub', 'inner']);
    expect(repo.sh('git log --oneline | wc -l', join(repo.root, 'sub')).trim()).toBe('1');
  });

  /** Script that creates a nested repository with its own filter and a file that the filter applies to. */
  const hostileRepositoryScript = (
    path: string,
  ) => `git init -q -b main ${path}; cd ${path}; echo 'f filter=evil' > .gitattributes; echo one > f
    git add -A; git commit -qm first; git config filter.evil.clean "touch ${repo.directory}/ran; cat"; echo two > f`;

  test('the filter of a nested repository whose name is not UTF-8 does not run, and the other files are copied', async () => {
    repo.write('a', 'one\n');
    repo.sh(
      `(${hostileRepositoryScript("$'n\\xff'")}); git add -A; git commit -qm state; rm -f ../ran; echo six > $'n\\xff/f'`,
    );
    const { text } = await repo.runTasks(['echo two > a']);
    expect([text, read('a'), existsSync(join(repo.directory, 'ran'))]).toEqual([
      'Applied patches: yes',
      'two\n',
      false,
    ]);
    repo.sh('git status');
    expect(existsSync(join(repo.directory, 'ran'))).toBe(true);
  });

  test('during an unfinished merge, the filter of a nested repository that is in the commit but not in the index does not run', async () => {
    repo.write('a', 'one\n');
    repo.write('.gitignore', 'inner\n');
    repo.sh(`(${hostileRepositoryScript('inner')}); git add -A; git add -f inner; git commit -qm state`);
    repo.sh('git checkout -q -b side; echo side > a; git commit -qam side');
    repo.sh('git checkout -q main; echo main > a; git commit -qam main; git merge side || true');
    repo.sh('git rm -q --cached inner; rm -f ../ran; echo six > inner/f');
    const { text } = await repo.runTasks(['echo two > b']);
    expect([text, existsSync(join(repo.directory, 'ran'))]).toEqual(['Applied patches: yes', false]);
  });

  const CREATE_REPOSITORY =
    'git init -q -b main made/here; cd made/here; echo file > file; git add -A; git commit -qm first; echo dirty > dirty; echo x > ../../beside';

  test.each(['patch', 'branch'] as const)(
    'a new repository is copied to the main tree completely (%s)',
    async (merge) => {
      repo.write('a', 'one\n');
      repo.commit();
      const { text, results } = await repo.runTasks([CREATE_REPOSITORY], merge);
      expect(text).toContain(merge === 'patch' ? 'Applied patches: yes' : 'Merged 1 branches');
      expect([read('made/here/file'), read('made/here/dirty'), read('beside')]).toEqual(['file\n', 'dirty\n', 'x\n']);
      expect(repo.sh('git log --format=%s; git status --porcelain', join(repo.root, 'made/here'))).toBe(
        'first\n?? dirty\n',
      );
      expect(results[0]?.newRepositories).toEqual([
        { path: 'made/here', keptPath: join(repo.directory, 'artifacts/T0.repository-1') },
      ]);
      expect(listLeftovers()).toEqual([]);
    },
  );

  test('a new repository whose path exists in the main tree is saved, and nothing is applied', async () => {
    repo.write('a', 'one\n');
    repo.commit();
    const isolation = await repo.isolate();
    const workspace = await isolation.createWorkspace('A');
    repo.sh(CREATE_REPOSITORY, workspace.cwd);
    const captured = await workspace.capture({ asBranch: false, createMessage: () => '' });
    await workspace.remove();
    repo.write('made/here/mine', 'mine\n');
    const before = repo.state();
    const { createTaskResult } = await import('./repository.ts');
    const { text, isComplete } = await isolation.merge([{ ...createTaskResult(0), ...captured }]);
    await isolation.close();
    expect([isComplete, repo.state()]).toEqual([false, before]);
    const savedPath = join(repo.directory, 'artifacts/A.repository-1');
    expect(text).toContain(`- ${savedPath}`);
    expect(repo.sh('git log --format=%s', savedPath)).toBe('first\n');
  });

  test('a submodule added by a task is merged with its history; one removed by a task stays in the main tree', async () => {
    const other = join(repo.directory, 'other');
    repo.init(other);
    repo.write('lib', 'lib\n', other);
    repo.commit(other);
    repo.write('a', 'one\n');
    repo.commit();
    repo.sh(`git -c protocol.file.allow=always submodule add -q ${other} old && git commit -qm sub`);
    const { text } = await repo.runTasks([
      `rm -rf old; git -c protocol.file.allow=always submodule add -q ${other} sub; git worktree add -q --detach extra; echo two > a`,
    ]);
    expect(text).toBe('Applied patches: yes');
    expect([read('a'), read('sub/lib'), read('old/lib')]).toEqual(['two\n', 'lib\n', 'lib\n']);
    expect(repo.sh('git log --format=%s; git status --porcelain', join(repo.root, 'sub'))).toBe('state\n');
    expect(repo.sh('git worktree list | wc -l').trim()).toBe('1');
  });
});

test('hooks, filters and drivers of a hostile repository do not run', async () => {
  const canary = join(repo.directory, 'canary');
  repo.write('a.txt', 'one\n');
  repo.write('.gitattributes', '*.txt filter=evil diff=evil merge=evil\n');
  repo.commit();
  const run = `sh -c "touch ${canary}; cat"`;
  for (const key of [
    'filter.evil.clean',
    'filter.evil.smudge',
    'filter.evil.process',
    'diff.evil.textconv',
    'diff.evil.command',
  ]) {
    repo.sh(`git config ${key} '${run}'`);
  }
  repo.sh(
    `git config merge.evil.driver 'touch ${canary}'; git config core.fsmonitor 'touch ${canary}'; git config diff.external 'touch ${canary}'`,
  );
  for (const hook of [
    'post-checkout',
    'pre-commit',
    'post-commit',
    'reference-transaction',
    'post-index-change',
    'pre-applypatch',
  ]) {
    repo.write(`.git/hooks/${hook}`, `#!/bin/sh\ntouch ${canary}\n`);
    repo.sh(`chmod +x .git/hooks/${hook}`);
  }
  repo.write('a.txt', 'dirty\n');
  const { text } = await repo.runTasks(['echo b > b.txt; printf "dirty\\nmore\\n" > a.txt'], 'patch');
  expect(text).toBe('Applied patches: yes');
  expect(read('a.txt')).toBe('dirty\nmore\n');
  expect(existsSync(canary)).toBe(false);
});

test('in a subfolder of the repository the workspace starts in the same subfolder', async () => {
  repo.write('src/a', 'a\n');
  repo.commit();
  repo.sh('mkdir -p empty/folder');
  const isolation = await repo.isolate('patch', join(repo.root, 'empty/folder'));
  const { cwd, remove } = await isolation.createWorkspace('A');
  expect(readFileSync(join(cwd, '../../src/a'), 'utf8')).toBe('a\n');
  await remove();
  await isolation.close();
});

test('a missing repository or a missing commit is reported', async () => {
  await expect(repo.isolate('patch', repo.directory)).rejects.toThrow(/not a git repository/);
  await expect(repo.isolate()).rejects.toThrow(`${repo.root} has no commit yet.`);
});

test('worktrees of a dead process are removed at the next start; those of a living process are kept', async () => {
  repo.write('a', 'one\n');
  repo.commit();
  const before = repo.state();
  const deadIsolation = await repo.isolate('branch');
  const workspace = await deadIsolation.createWorkspace('Dead');
  repo.sh('echo two > a', workspace.cwd);
  await workspace.capture({ asBranch: true, createMessage: () => 'unused' });
  expect(repo.sh('git for-each-ref')).toContain('parley/task/Dead');
  const ownerFile = join(workspace.cwd, '..', 'owner.json');
  const owner = JSON.parse(readFileSync(ownerFile, 'utf8'));
  const livingIsolation = await repo.isolate();
  expect(existsSync(workspace.cwd)).toBe(true);
  await livingIsolation.close();
  repo.write(ownerFile, JSON.stringify({ ...owner, startTime: 1 }), '/');
  const nextIsolation = await repo.isolate();
  await nextIsolation.close();
  expect(repo.state()).toBe(before);
  expect(listLeftovers()).toEqual([]);
});

test('sparse checkout: files that are not checked out are neither deleted nor restored', async () => {
  for (const name of ['in/a', 'in/b', 'out/c', 'top']) repo.write(name, `${name}\n`);
  repo.commit();
  repo.sh('git sparse-checkout set in');
  repo.write('in/a', 'dirty\n');
  const staged = repo.sh('git ls-files -t');
  const { text } = await repo.runTasks(['echo more >> in/a; echo new > in/new; echo changed > top']);
  expect(text).toBe('Applied patches: yes');
  expect([read('in/a'), read('in/new'), read('top')]).toEqual(['dirty\nmore\n', 'new\n', 'changed\n']);
  expect([existsSync(join(repo.root, 'out')), repo.sh('git ls-files -t')]).toEqual([false, staged]);
  expect(repo.sh('git status --porcelain')).toBe(' M in/a\n M top\n?? in/new\n');
  expect(listLeftovers()).toEqual([]);
});

test.each(['patch', 'branch'] as const)('changes are merged into a shallow clone (%s)', async (merge) => {
  const origin = join(repo.directory, 'origin');
  repo.init(origin);
  for (const n of [1, 2, 3]) {
    repo.write('a', `${n}\n`, origin);
    repo.commit(origin);
  }
  repo.sh(`rm -rf ${repo.root} && git clone -q --depth 1 file://${origin} ${repo.root}`, repo.directory);
  repo.write('untracked', 'mine\n');
  const { text } = await repo.runTasks(['echo 4 > a; cat untracked > seen'], merge);
  expect(text).toMatch(merge === 'patch' ? /^Applied patches: yes$/ : /^Merged 1 branches/);
  expect([read('a'), read('seen'), read('untracked')]).toEqual(['4\n', 'mine\n', 'mine\n']);
  expect(repo.sh('git rev-parse --is-shallow-repository; git fsck --no-dangling')).toBe('true\n');
  expect(repo.sh('git rev-list --count HEAD').trim()).toBe(merge === 'patch' ? '1' : '2');
});

test("with the user's filter for large files, worktrees and merged changes hold the full content", async () => {
  repo.sh("git config --global filter.large.clean 'sed s/whole/pointer/'");
  repo.sh("git config --global filter.large.smudge 'sed s/pointer/whole/'");
  repo.write('.gitattributes', '*.bin filter=large\n');
  for (const name of ['a.bin', 'b.bin']) repo.write(name, 'whole\n');
  repo.commit();
  expect(repo.sh('git show HEAD:a.bin')).toBe('pointer\n');
  repo.write('b.bin', 'whole, changed\n');
  const { text } = await repo.runTasks([
    'cat a.bin b.bin > seen; echo whole >> a.bin; echo "a whole new one" > new.bin',
  ]);
  expect(text).toBe('Applied patches: yes');
  expect(read('seen')).toBe('whole\nwhole, changed\n');
  expect([read('a.bin'), read('b.bin'), read('new.bin')]).toEqual([
    'whole\nwhole\n',
    'whole, changed\n',
    'a whole new one\n',
  ]);
});
