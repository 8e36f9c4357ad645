// Isolated work on real repositories: the copy is exact, the main tree is touched by the merge only, nothing is lost or left.
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Place } from './repository.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.close());

const read = (path: string) => readFileSync(join(place.root, path), 'utf8');
const left = () =>
  readdirSync(join(place.directory, 'worktrees'), { recursive: true }).filter((name) => String(name).includes('/'));

/** Something of every kind: committed, staged, changed, staged and changed again, deleted, new, binary, links, modes. */
function disorder(): void {
  place.write('.gitignore', 'ignored\n');
  for (const name of ['plain', 'changed', 'both', 'gone', 'dir/deep', 'with space/ü.txt'])
    place.write(name, `${name}\n`);
  place.write('binary', Buffer.from([0, 1, 2, 255, 0]));
  place.commit();
  place.write('staged', 'staged\n');
  place.write('both', 'first\n');
  place.sh('git add staged both && rm gone && chmod +x plain && ln -s plain link');
  place.write('both', 'second\n');
  place.write('changed', 'changed twice\n');
  place.write('binary', Buffer.from([9, 0, 255]));
  place.write('new/untracked', 'new\n');
  place.write('ignored', 'secret\n');
}

test('a copy is the exact state of the main tree, and the main tree does not notice', async () => {
  disorder();
  const before = place.state();
  const isolation = await place.isolate();
  const { cwd, leave } = await isolation.enter('A');
  const look =
    'git status --porcelain=v2 --untracked-files=all && git diff --binary && git diff --cached --binary && git rev-parse HEAD';
  expect(place.sh(look, cwd)).toBe(place.sh(look));
  for (const name of ['plain', 'both', 'binary', 'new/untracked', 'with space/ü.txt', 'dir/deep']) {
    expect(readFileSync(join(cwd, name))).toEqual(readFileSync(join(place.root, name)));
    expect(statSync(join(cwd, name)).mode & 0o111).toBe(statSync(join(place.root, name)).mode & 0o111);
  }
  expect(readlinkSync(join(cwd, 'link'))).toBe('plain');
  expect(existsSync(join(cwd, 'gone')) || existsSync(join(cwd, 'ignored'))).toBe(false);
  expect(statSync(join(place.directory, 'worktrees')).mode & 0o077).toBe(0);
  await leave();
  await isolation.close();
  expect(place.state()).toBe(before);
  expect(left()).toEqual([]);
});

test('work on a disorderly tree comes back without touching what is staged', async () => {
  disorder();
  const staged = place.sh('git diff --cached --binary');
  const { text, results } = await place.tasks([
    'echo more >> both; rm plain; printf "\\0\\7" > binary; git mv dir/deep dir/moved; ln -sfn both link; echo x > "a b"; chmod +x changed; git add -A; git commit -qm mine',
  ]);
  expect(text).toBe('Applied patches: yes');
  expect(read('both')).toBe('second\nmore\n');
  expect(existsSync(join(place.root, 'plain')) || existsSync(join(place.root, 'dir/deep'))).toBe(false);
  expect([read('dir/moved'), read('a b')]).toEqual(['dir/deep\n', 'x\n']);
  expect(readFileSync(join(place.root, 'binary'))).toEqual(Buffer.from([0, 7]));
  expect(readlinkSync(join(place.root, 'link'))).toBe('both');
  expect(lstatSync(join(place.root, 'changed')).mode & 0o111).not.toBe(0);
  expect(place.sh('git diff --cached --binary')).toBe(staged);
  expect(place.sh('git log --oneline | wc -l').trim()).toBe('1');
  expect(statSync(results[0]?.patchPath ?? '').mode & 0o077).toBe(0);
  expect(left()).toEqual([]);
});

test('several tasks: different places of one file go together', async () => {
  place.write('list', Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join(''));
  place.commit();
  const { text } = await place.tasks([
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

test('a conflict applies nothing, and loses nothing', async () => {
  place.write('a', 'one\n');
  place.commit();
  const before = place.state();
  const { text, results } = await place.tasks(['echo two > a', 'echo three > a', 'echo b > b']);
  expect(text).toContain('Patches were not applied and must be handled manually.');
  expect(place.state()).toBe(before);
  for (const { patchPath } of results) {
    expect(text).toContain(patchPath);
    expect(readFileSync(patchPath ?? '', 'utf8')).toContain('diff --git');
  }
});

test('work that did not succeed is never applied, and neither is what came with it', async () => {
  place.write('a', 'one\n');
  place.commit();
  const before = place.state();
  const { text } = await place.tasks(['echo two > a', 'echo b > b'], 'patch', [0, 1]);
  expect(text).toContain('T1 did not succeed');
  expect(place.state()).toBe(before);
});

test('a change that is already there is no change', async () => {
  place.write('a', 'one\n');
  place.commit();
  const isolation = await place.isolate();
  const workspace = await isolation.enter('A');
  place.sh('echo two > a; echo n > n', workspace.cwd);
  const captured = await workspace.capture({ asBranch: false, message: () => '' });
  await workspace.leave();
  place.sh('echo two > a; echo n > n');
  const before = place.state();
  const { blank } = await import('./repository.ts');
  expect(await isolation.merge([{ ...blank(0), ...captured }])).toEqual({
    text: 'Applied patches: yes',
    isComplete: true,
  });
  await isolation.close();
  expect(place.state()).toBe(before);
});

test('a parent that changed meanwhile keeps its change', async () => {
  place.write('list', Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join(''));
  place.commit();
  const isolation = await place.isolate();
  const workspace = await isolation.enter('A');
  place.sh('sed -i "s/line 2$/two/" list', workspace.cwd);
  const captured = await workspace.capture({ asBranch: false, message: () => '' });
  await workspace.leave();
  place.sh('sed -i "s/line 30$/thirty/" list; echo mine > mine');
  const { blank } = await import('./repository.ts');
  expect(await isolation.merge([{ ...blank(0), ...captured }])).toEqual({
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

test('a change of the same size in the same moment is seen', async () => {
  place.write('a', 'one\n');
  place.commit();
  for (let n = 0; n < 5; n++) {
    place.sh(`printf 'main%s\\n' ${n} > a && git add a && printf 'work%s\\n' ${n} > a`);
    const { text } = await place.tasks([`printf 'task%s\\n' ${n} > a`]);
    expect([text, read('a')]).toEqual(['Applied patches: yes', `task${n}\n`]);
    expect(place.sh('git show :a')).toBe(`main${n}\n`);
  }
});

test('no change, no patch', async () => {
  place.write('a', 'one\n');
  place.commit();
  const { text, results } = await place.tasks(['true']);
  expect([text, results[0]?.patchPath]).toEqual(['No changes to apply.', undefined]);
});

describe('branches', () => {
  test('each task becomes a commit on HEAD; what was dirty stays as it was', async () => {
    disorder();
    const staged = place.sh('git diff --cached --binary');
    const { text } = await place.tasks(['echo a > a', 'echo b > b'], 'branch');
    expect(text).toBe('Merged 2 branches: parley/task/T0, parley/task/T1');
    expect(place.sh('git log --format=%s').trim().split('\n')).toEqual(['Task 1', 'Task 0', 'state']);
    expect(place.sh('git for-each-ref --format="%(refname)"').trim()).toBe('refs/heads/main');
    expect(place.sh('git diff --cached --binary')).toBe(staged);
    expect([read('both'), read('a')]).toEqual(['second\n', 'a\n']);
    expect(place.sh('git status --porcelain -- a b')).toBe('');
  });

  test('stops at the first conflict: that branch and those behind it are kept', async () => {
    place.write('a', 'one\n');
    place.commit();
    const { text, results } = await place.tasks(['echo two > a', 'echo three > a', 'echo b > b'], 'branch');
    expect(text).toBe(
      'Merged 1 branches: parley/task/T0\nNot merged, to be handled by hand: parley/task/T1, parley/task/T2',
    );
    expect(read('a')).toBe('two\n');
    expect(results[1]?.error).toBe('Merge failed: parley/task/T1 does not fit');
    expect(place.sh('git for-each-ref --format="%(refname:short)"').trim().split('\n')).toEqual([
      'main',
      'parley/task/T1',
      'parley/task/T2',
    ]);
    expect(place.sh('git show parley/task/T1:a')).toBe('three\n');
  });
});

describe('repositories inside', () => {
  test('a submodule and an untracked repository are copied as they are, and their changes come back to them', async () => {
    const other = join(place.directory, 'other');
    place.init(other);
    place.write('lib', 'lib\n', other);
    place.commit(other);
    place.write('a', 'one\n');
    place.commit();
    place.sh(`git -c protocol.file.allow=always submodule add -q ${other} sub && git commit -qm sub`);
    place.write('sub/dirty', 'dirty\n');
    place.init(join(place.root, 'inner'));
    place.write('inner/file', 'inner\n');
    place.commit(join(place.root, 'inner'));
    place.init(join(place.root, 'fresh'));
    const { text, results } = await place.tasks([
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
    expect(place.sh('git log --oneline | wc -l', join(place.root, 'sub')).trim()).toBe('1');
  });

  /** A repository inside, linked from the one around it, with a filter of its own and a file to be filtered. */
  const EVIL = (
    path: string,
  ) => `git init -q -b main ${path}; cd ${path}; echo 'f filter=evil' > .gitattributes; echo one > f
    git add -A; git commit -qm first; git config filter.evil.clean "touch ${place.directory}/ran; cat"; echo two > f`;

  test('the filter of one whose name is not UTF-8 does not run, and the rest is copied', async () => {
    place.write('a', 'one\n');
    place.sh(`(${EVIL("$'n\\xff'")}); git add -A; git commit -qm state; rm -f ../ran; echo six > $'n\\xff/f'`);
    const { text } = await place.tasks(['echo two > a']);
    expect([text, read('a'), existsSync(join(place.directory, 'ran'))]).toEqual([
      'Applied patches: yes',
      'two\n',
      false,
    ]);
    place.sh('git status');
    expect(existsSync(join(place.directory, 'ran'))).toBe(true);
  });

  test('the filter of one that only the commit names, not the index, does not run while a merge is unfinished', async () => {
    place.write('a', 'one\n');
    place.write('.gitignore', 'inner\n');
    place.sh(`(${EVIL('inner')}); git add -A; git add -f inner; git commit -qm state`);
    place.sh('git checkout -q -b side; echo side > a; git commit -qam side');
    place.sh('git checkout -q main; echo main > a; git commit -qam main; git merge side || true');
    place.sh('git rm -q --cached inner; rm -f ../ran; echo six > inner/f');
    const { text } = await place.tasks(['echo two > b']);
    expect([text, existsSync(join(place.directory, 'ran'))]).toEqual(['Applied patches: yes', false]);
  });

  const MAKE =
    'git init -q -b main made/here; cd made/here; echo file > file; git add -A; git commit -qm first; echo dirty > dirty; echo x > ../../beside';

  test.each(['patch', 'branch'] as const)('one that is made in a copy comes back whole (%s)', async (merge) => {
    place.write('a', 'one\n');
    place.commit();
    const { text, results } = await place.tasks([MAKE], merge);
    expect(text).toContain(merge === 'patch' ? 'Applied patches: yes' : 'Merged 1 branches');
    expect([read('made/here/file'), read('made/here/dirty'), read('beside')]).toEqual(['file\n', 'dirty\n', 'x\n']);
    expect(place.sh('git log --format=%s; git status --porcelain', join(place.root, 'made/here'))).toBe(
      'first\n?? dirty\n',
    );
    expect(results[0]?.newRepositories).toEqual([
      { path: 'made/here', keptPath: join(place.directory, 'artifacts/T0.repository-1') },
    ]);
    expect(left()).toEqual([]);
  });

  test('one that is made where something is already is kept, and nothing is applied', async () => {
    place.write('a', 'one\n');
    place.commit();
    const isolation = await place.isolate();
    const copy = await isolation.enter('A');
    place.sh(MAKE, copy.cwd);
    const captured = await copy.capture({ asBranch: false, message: () => '' });
    await copy.leave();
    place.write('made/here/mine', 'mine\n');
    const before = place.state();
    const { blank } = await import('./repository.ts');
    const { text, isComplete } = await isolation.merge([{ ...blank(0), ...captured }]);
    await isolation.close();
    expect([isComplete, place.state()]).toEqual([false, before]);
    const kept = join(place.directory, 'artifacts/A.repository-1');
    expect(text).toContain(`- ${kept}`);
    expect(place.sh('git log --format=%s', kept)).toBe('first\n');
  });

  test('a submodule that is added in a copy brings its history along; one that is taken away there stays', async () => {
    const other = join(place.directory, 'other');
    place.init(other);
    place.write('lib', 'lib\n', other);
    place.commit(other);
    place.write('a', 'one\n');
    place.commit();
    place.sh(`git -c protocol.file.allow=always submodule add -q ${other} old && git commit -qm sub`);
    const { text } = await place.tasks([
      `rm -rf old; git -c protocol.file.allow=always submodule add -q ${other} sub; git worktree add -q --detach extra; echo two > a`,
    ]);
    expect(text).toBe('Applied patches: yes');
    expect([read('a'), read('sub/lib'), read('old/lib')]).toEqual(['two\n', 'lib\n', 'lib\n']);
    expect(place.sh('git log --format=%s; git status --porcelain', join(place.root, 'sub'))).toBe('state\n');
    expect(place.sh('git worktree list | wc -l').trim()).toBe('1');
  });
});

test('a repository that would run things runs nothing of ours', async () => {
  const canary = join(place.directory, 'canary');
  place.write('a.txt', 'one\n');
  place.write('.gitattributes', '*.txt filter=evil diff=evil merge=evil\n');
  place.commit();
  const run = `sh -c "touch ${canary}; cat"`;
  for (const key of [
    'filter.evil.clean',
    'filter.evil.smudge',
    'filter.evil.process',
    'diff.evil.textconv',
    'diff.evil.command',
  ]) {
    place.sh(`git config ${key} '${run}'`);
  }
  place.sh(
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
    place.write(`.git/hooks/${hook}`, `#!/bin/sh\ntouch ${canary}\n`);
    place.sh(`chmod +x .git/hooks/${hook}`);
  }
  place.write('a.txt', 'dirty\n');
  const { text } = await place.tasks(['echo b > b.txt; printf "dirty\\nmore\\n" > a.txt'], 'patch');
  expect(text).toBe('Applied patches: yes');
  expect(read('a.txt')).toBe('dirty\nmore\n');
  expect(existsSync(canary)).toBe(false);
});

test('in a folder of the repository the copy begins in the same folder', async () => {
  place.write('src/a', 'a\n');
  place.commit();
  place.sh('mkdir -p empty/folder');
  const isolation = await place.isolate('patch', join(place.root, 'empty/folder'));
  const { cwd, leave } = await isolation.enter('A');
  expect(readFileSync(join(cwd, '../../src/a'), 'utf8')).toBe('a\n');
  await leave();
  await isolation.close();
});

test('where there is no repository, or no commit, it is said', async () => {
  await expect(place.isolate('patch', place.directory)).rejects.toThrow(/not a git repository/);
  await expect(place.isolate()).rejects.toThrow(`${place.root} has no commit yet.`);
});

test('what a dead process left is cleared away by the next, what a living one holds is not', async () => {
  place.write('a', 'one\n');
  place.commit();
  const before = place.state();
  const dead = await place.isolate('branch');
  const copy = await dead.enter('Dead');
  place.sh('echo two > a', copy.cwd);
  await copy.capture({ asBranch: true, message: () => 'never told' });
  expect(place.sh('git for-each-ref')).toContain('parley/task/Dead');
  const note = join(copy.cwd, '..', 'owner.json');
  const owner = JSON.parse(readFileSync(note, 'utf8'));
  const living = await place.isolate();
  expect(existsSync(copy.cwd)).toBe(true);
  await living.close();
  place.write(note, JSON.stringify({ ...owner, startTime: 1 }), '/');
  const next = await place.isolate();
  await next.close();
  expect(place.state()).toBe(before);
  expect(left()).toEqual([]);
});

test('a sparse checkout: what is not checked out is neither lost nor brought back', async () => {
  for (const name of ['in/a', 'in/b', 'out/c', 'top']) place.write(name, `${name}\n`);
  place.commit();
  place.sh('git sparse-checkout set in');
  place.write('in/a', 'dirty\n');
  const staged = place.sh('git ls-files -t');
  const { text } = await place.tasks(['echo more >> in/a; echo new > in/new; echo changed > top']);
  expect(text).toBe('Applied patches: yes');
  expect([read('in/a'), read('in/new'), read('top')]).toEqual(['dirty\nmore\n', 'new\n', 'changed\n']);
  expect([existsSync(join(place.root, 'out')), place.sh('git ls-files -t')]).toEqual([false, staged]);
  expect(place.sh('git status --porcelain')).toBe(' M in/a\n M top\n?? in/new\n');
  expect(left()).toEqual([]);
});

test.each(['patch', 'branch'] as const)('a shallow clone (%s)', async (merge) => {
  const origin = join(place.directory, 'origin');
  place.init(origin);
  for (const n of [1, 2, 3]) {
    place.write('a', `${n}\n`, origin);
    place.commit(origin);
  }
  place.sh(`rm -rf ${place.root} && git clone -q --depth 1 file://${origin} ${place.root}`, place.directory);
  place.write('untracked', 'mine\n');
  const { text } = await place.tasks(['echo 4 > a; cat untracked > seen'], merge);
  expect(text).toMatch(merge === 'patch' ? /^Applied patches: yes$/ : /^Merged 1 branches/);
  expect([read('a'), read('seen'), read('untracked')]).toEqual(['4\n', 'mine\n', 'mine\n']);
  expect(place.sh('git rev-parse --is-shallow-repository; git fsck --no-dangling')).toBe('true\n');
  expect(place.sh('git rev-list --count HEAD').trim()).toBe(merge === 'patch' ? '1' : '2');
});

test('large files, as the user has git keep them: a copy holds what they hold, and so does what comes back', async () => {
  place.sh("git config --global filter.large.clean 'sed s/whole/pointer/'");
  place.sh("git config --global filter.large.smudge 'sed s/pointer/whole/'");
  place.write('.gitattributes', '*.bin filter=large\n');
  for (const name of ['a.bin', 'b.bin']) place.write(name, 'whole\n');
  place.commit();
  expect(place.sh('git show HEAD:a.bin')).toBe('pointer\n');
  place.write('b.bin', 'whole, changed\n');
  const { text } = await place.tasks(['cat a.bin b.bin > seen; echo whole >> a.bin; echo "a whole new one" > new.bin']);
  expect(text).toBe('Applied patches: yes');
  expect(read('seen')).toBe('whole\nwhole, changed\n');
  expect([read('a.bin'), read('b.bin'), read('new.bin')]).toEqual([
    'whole\nwhole\n',
    'whole, changed\n',
    'a whole new one\n',
  ]);
});
