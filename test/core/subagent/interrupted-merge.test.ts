// A merge that is interrupted at any point: the cleanup at the next start restores the main tree exactly.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProcessIdentity } from '../../../src/app/system-ports/process-identity.ts';
import type { Ports } from '../../../src/contracts/index.ts';
import { cleanStaleBatches } from '../../../src/core/subagent/isolation/clean-stale-batches.ts';
import type { SubagentResult } from '../../../src/protocol/index.ts';
import { createTaskResult, TestRepository } from './repository.ts';

let repo: TestRepository;
beforeEach(() => {
  repo = new TestRepository();
});
afterEach(() => repo.close());

const TASK_SCRIPT =
  'echo changed > a; rm gone; printf "\\0\\7\\7\\7" > binary; git mv kept moved; mkdir -p deep; echo new > "deep/n w"; chmod +x plain; ln -sfn a link';

/** Commits files, then adds changed, staged and untracked files. */
function createDirtyTree(changedFile = 'a'): void {
  for (const name of ['a', 'gone', 'kept', 'plain', 'other']) repo.write(name, `${name}\n`.repeat(20));
  repo.write('binary', Buffer.from([0, 1, 2, 255, 0]));
  repo.sh('ln -s plain link');
  repo.commit();
  repo.write(changedFile, 'dirty\n');
  repo.write('staged', 'staged\n');
  repo.sh('git add staged');
  repo.write('untracked', 'untracked\n');
}

/** Saves all files except the git directories of the repository and of the nested repository `inner`. */
const saveFiles = (as: string) =>
  repo.sh(`rm -rf ../${as}; mkdir ../${as}; tar c --exclude=./.git --exclude=./inner/.git . | tar x -C ../${as}`);
const restoreFiles = (from: string) =>
  repo.sh(
    `find . -mindepth 1 -maxdepth 1 ! -name .git ! -name inner -exec rm -rf {} +; rm -f inner/*; tar c -C ../${from} . | tar x`,
  );

interface RecordedStep {
  readonly root: string;
  readonly before: string;
  readonly after: string;
}

/** Merges one task and returns the merge journal that was written before the merge. */
async function mergeTask(
  merge: 'patch' | 'branch',
  script = TASK_SCRIPT,
): Promise<{ journal: string; steps: RecordedStep[] }> {
  const journals: string[] = [];
  const { files } = repo.ports;
  const recordingPorts: Ports = {
    ...repo.ports,
    toolEnv: repo.ports.toolEnv,
    files: {
      ...files,
      async replace(path, bytes, options) {
        if (path.endsWith('/merge')) journals.push(new TextDecoder().decode(bytes));
        return files.replace(path, bytes, options);
      },
    },
  };
  const isolation = await repo.isolate(merge, repo.root, recordingPorts);
  const workspace = await isolation.createWorkspace('T0');
  repo.sh(script, workspace.cwd);
  const captured = await workspace.capture({ asBranch: merge === 'branch', createMessage: () => 'm' });
  await workspace.remove();
  const result: SubagentResult = { ...createTaskResult(0), ...captured };
  expect((await isolation.merge([result])).isComplete).toBe(true);
  await isolation.close();
  expect(journals).toHaveLength(1);
  return { journal: journals[0] ?? '', steps: JSON.parse(journals[0] ?? '[]') as RecordedStep[] };
}

/** Writes the journal of a process that was killed during the merge, then runs the cleanup of the next start. */
async function cleanUpAfterKill(journal: string, beforeCleanup = () => {}): Promise<string[]> {
  const repositoryFolder = join(repo.directory, 'worktrees/work-0');
  mkdirSync(join(repositoryFolder, 'dead'), { recursive: true });
  const { self } = createProcessIdentity();
  const owner = { ...self, startTime: 1, root: repo.root, commonDirectory: join(repo.root, '.git') };
  writeFileSync(join(repositoryFolder, 'dead/owner.json'), JSON.stringify(owner));
  writeFileSync(join(repositoryFolder, 'dead/merge'), journal);
  beforeCleanup();
  const messages = await cleanStaleBatches(repo.ports, createProcessIdentity(), join(repo.directory, 'worktrees'));
  expect(readdirSync(repositoryFolder)).toEqual([]);
  return messages;
}

const UNDONE = /^A merge of subagent changes into .* was interrupted and has been undone\. The patches are saved\.$/;

test('a patch merge is undone after any number of files, with the next file missing or partly written', async () => {
  createDirtyTree();
  const before = repo.state();
  saveFiles('pristine');
  const { journal, steps } = await mergeTask('patch');
  saveFiles('after');
  const [step] = steps;
  const paths = repo.sh(`git diff-tree -r -z --name-only ${step?.before} ${step?.after}`).split('\0').slice(0, -1);
  expect(paths).toHaveLength(8);
  const writeMergedFile = (path: string) =>
    repo.sh(
      `rm -f "${path}"; if [ -e "../after/${path}" ]; then mkdir -p "$(dirname "${path}")"; cp -a "../after/${path}" "${path}"; fi`,
    );
  for (let count = 0; count <= paths.length; count++) {
    for (const damage of ['rm -f', 'truncate -s 2']) {
      restoreFiles('pristine');
      for (const path of paths.slice(0, count)) writeMergedFile(path);
      const next = paths[count];
      const isLink = next === 'link';
      if (next) writeMergedFile(next);
      if (next && !(damage.startsWith('truncate') && isLink)) repo.sh(`[ ! -e "${next}" ] || ${damage} "${next}"`);
      const messages = await cleanUpAfterKill(journal);
      expect(repo.state()).toBe(before);
      expect(messages).toEqual([expect.stringMatching(UNDONE)]);
    }
  }
});

test('files that the user changed later are kept and reported', async () => {
  createDirtyTree();
  const { journal } = await mergeTask('patch');
  repo.write('a', 'changed by the user\n');
  const messages = await cleanUpAfterKill(journal);
  expect(messages[0]).toContain('Changed since then and not reverted: a.');
  expect(readFileSync(join(repo.root, 'a'), 'utf8')).toBe('changed by the user\n');
  expect(repo.sh('ls gone kept')).toBe('gone\nkept\n');
});

test('a branch merge is undone after the index and after the files; a complete one is kept', async () => {
  // A task's commit must not depend on uncommitted changes, so the changed file is one that the task does not touch.
  createDirtyTree('other');
  const head = repo.sh('git rev-parse HEAD').trim();
  const before = repo.state();
  saveFiles('pristine');
  repo.sh('cp -p .git/index ../index-before');
  const { journal } = await mergeTask('branch');
  const complete = repo.state();
  saveFiles('after');
  repo.sh('cp -p .git/index ../index-after; git rev-parse HEAD > ../head-after');
  for (const [index, files] of [
    ['before', 'pristine'],
    ['after', 'pristine'],
    ['after', 'after'],
  ] as const) {
    repo.sh(`git update-ref HEAD ${head}; cp -p ../index-${index} .git/index`);
    restoreFiles(files);
    // Git was killed while it held the index lock.
    await cleanUpAfterKill(journal, () => repo.write('.git/index.lock', ''));
    expect(repo.state()).toBe(before);
  }
  repo.sh('git update-ref HEAD $(cat ../head-after); cp -p ../index-after .git/index');
  restoreFiles('after');
  expect(await cleanUpAfterKill(journal)).toEqual([]);
  expect(repo.state()).toBe(complete);
});

test('a branch merge with a nested repository is undone in both after any step; with the commit, both are complete', async () => {
  createDirtyTree('other');
  const inner = join(repo.root, 'inner');
  repo.init(inner);
  repo.write('in.txt', 'inside\n', inner);
  repo.commit(inner);
  const state = () => `${repo.state()}==\n${repo.state(inner)}`;
  const head = repo.sh('git rev-parse HEAD').trim();
  const before = state();
  saveFiles('pristine');
  repo.sh('cp -p .git/index ../index-before');
  const { journal, steps } = await mergeTask(
    'branch',
    `${TASK_SCRIPT}; echo more >> inner/in.txt; git init -q made; echo x > made/x`,
  );
  // One journal holds all steps, so a merge cannot be recorded for only some of the repositories.
  expect(steps.map(({ root }) => root)).toEqual([inner, repo.root, repo.root]);
  const complete = state();
  saveFiles('after');
  repo.sh('cp -p .git/index ../index-after; git rev-parse HEAD > ../head-after');
  const states = [
    ['no step', 'before', []],
    ['the nested repository', 'before', ['inner/in.txt']],
    ['the nested and the new repository', 'before', ['inner/in.txt', 'made']],
    ['the index', 'after', ['inner/in.txt', 'made']],
    ['a file', 'after', ['inner/in.txt', 'made', 'a']],
    ['everything except the commit', 'after', ['.']],
  ] as const;
  for (const [finished, index, paths] of states) {
    repo.sh(`git update-ref HEAD ${head}; cp -p ../index-${index} .git/index`);
    restoreFiles('pristine');
    if (paths[0] === '.') restoreFiles('after');
    else for (const path of paths) repo.sh(`rm -rf "${path}"; cp -a "../after/${path}" "${path}"`);
    await cleanUpAfterKill(journal);
    expect(state(), finished).toBe(before);
  }
  repo.sh('git update-ref HEAD $(cat ../head-after); cp -p ../index-after .git/index');
  restoreFiles('after');
  expect(await cleanUpAfterKill(journal)).toEqual([]);
  expect(state()).toBe(complete);
  // The user has committed since.
  repo.sh('git commit -qm mine --allow-empty');
  expect(await cleanUpAfterKill(journal)).toEqual([]);
});

test('an interrupted merge is not undone when there are newer commits, and this is reported', async () => {
  createDirtyTree('other');
  const head = repo.sh('git rev-parse HEAD').trim();
  const { journal } = await mergeTask('branch');
  repo.sh(`git update-ref HEAD ${head}; git commit -qm mine --allow-empty`);
  const before = repo.state();
  expect(await cleanUpAfterKill(journal)).toEqual([
    expect.stringContaining('There are newer commits, so it is not undone.'),
  ]);
  expect(repo.state()).toBe(before);
});

test('a merge in which git fails is undone immediately', async () => {
  createDirtyTree('other');
  const before = repo.state();
  const failingPorts: Ports = {
    ...repo.ports,
    toolEnv: repo.ports.toolEnv,
    processes: {
      ...repo.ports.processes,
      async spawn(request) {
        const isHeadUpdate =
          request.args[1] === 'update-ref' && request.args.includes('HEAD') && request.cwd === repo.root;
        if (isHeadUpdate) throw new Error('no more processes');
        return repo.ports.processes.spawn(request);
      },
    },
  };
  const isolation = await repo.isolate('branch', repo.root, failingPorts);
  const workspace = await isolation.createWorkspace('T0');
  repo.sh(TASK_SCRIPT, workspace.cwd);
  const result = { ...createTaskResult(0), ...(await workspace.capture({ asBranch: true, createMessage: () => 'm' })) };
  await workspace.remove();
  const { text } = await isolation.merge([result]);
  await isolation.close();
  expect(text).toContain('Not merged, must be merged manually: parley/task/T0');
  expect(result).toMatchObject({ error: 'Merge failed: no more processes' });
  repo.sh('git update-ref -d refs/heads/parley/task/T0');
  expect(repo.state()).toBe(before);
});

test('a new repository is removed again, unless the user has changed it', async () => {
  createDirtyTree();
  const before = repo.state();
  const { journal } = await mergeTask(
    'patch',
    'git init -q -b main made; cd made; echo x > x; git add -A; git commit -qm one',
  );
  expect(repo.sh('git log --format=%s', join(repo.root, 'made'))).toBe('one\n');
  repo.sh('cp -a made ../whole; rm made/x');
  expect(await cleanUpAfterKill(journal)).toEqual([expect.stringMatching(UNDONE)]);
  expect(repo.state()).toBe(before);
  repo.sh('cp -a ../whole made; echo mine > made/mine');
  expect((await cleanUpAfterKill(journal))[0]).toContain('Changed since then and not reverted: made.');
  expect(readFileSync(join(repo.root, 'made/mine'), 'utf8')).toBe('mine\n');
});
