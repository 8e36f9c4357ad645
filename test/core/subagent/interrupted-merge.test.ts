// A merge that is cut short at any instant: whoever clears up after it leaves the main tree exactly as it was before.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProcessIdentity } from '../../../src/app/system-ports/process-identity.ts';
import type { Ports } from '../../../src/contracts/index.ts';
import { reapAll } from '../../../src/core/subagent/isolation/reap.ts';
import type { SubagentResult } from '../../../src/protocol/index.ts';
import { blank, Place } from './repository.ts';

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.close());

const WORK =
  'echo changed > a; rm gone; printf "\\0\\7\\7\\7" > binary; git mv kept moved; mkdir -p deep; echo new > "deep/n w"; chmod +x plain; ln -sfn a link';

/** A dirty tree, with something of every kind. */
function main(dirty = 'a'): void {
  for (const name of ['a', 'gone', 'kept', 'plain', 'other']) place.write(name, `${name}\n`.repeat(20));
  place.write('binary', Buffer.from([0, 1, 2, 255, 0]));
  place.sh('ln -s plain link');
  place.commit();
  place.write(dirty, 'dirty\n');
  place.write('staged', 'staged\n');
  place.sh('git add staged');
  place.write('untracked', 'untracked\n');
}

/** Everything but git's own folders: of the repository, and of the one that is always inside it where there is one. */
const save = (as: string) =>
  place.sh(`rm -rf ../${as}; mkdir ../${as}; tar c --exclude=./.git --exclude=./inner/.git . | tar x -C ../${as}`);
const restore = (from: string) =>
  place.sh(
    `find . -mindepth 1 -maxdepth 1 ! -name .git ! -name inner -exec rm -rf {} +; rm -f inner/*; tar c -C ../${from} . | tar x`,
  );

interface Noted {
  readonly root: string;
  readonly before: string;
  readonly after: string;
}

/** The merge of one task, and what was noted of it before it began. */
async function merged(merge: 'patch' | 'branch', work = WORK): Promise<{ note: string; steps: Noted[] }> {
  const notes: string[] = [];
  const { files } = place.ports;
  const watched: Ports = {
    ...place.ports,
    toolEnv: place.ports.toolEnv,
    files: {
      ...files,
      async replace(path, bytes, options) {
        if (path.endsWith('/merge')) notes.push(new TextDecoder().decode(bytes));
        return files.replace(path, bytes, options);
      },
    },
  };
  const isolation = await place.isolate(merge, place.root, watched);
  const copy = await isolation.enter('T0');
  place.sh(work, copy.cwd);
  const captured = await copy.capture({ asBranch: merge === 'branch', message: () => 'm' });
  await copy.leave();
  const result: SubagentResult = { ...blank(0), ...captured };
  expect((await isolation.merge([result])).isComplete).toBe(true);
  await isolation.close();
  expect(notes).toHaveLength(1);
  return { note: notes[0] ?? '', steps: JSON.parse(notes[0] ?? '[]') as Noted[] };
}

/** What a process leaves that was killed in the middle of this merge; then the next one starts. */
async function reap(note: string, meanwhile = () => {}): Promise<string[]> {
  const home = join(place.directory, 'worktrees/work-0');
  mkdirSync(join(home, 'dead'), { recursive: true });
  const { self } = createProcessIdentity();
  const owner = { ...self, startTime: 1, root: place.root, commonDirectory: join(place.root, '.git') };
  writeFileSync(join(home, 'dead/owner.json'), JSON.stringify(owner));
  writeFileSync(join(home, 'dead/merge'), note);
  meanwhile();
  const told = await reapAll(place.ports, createProcessIdentity(), join(place.directory, 'worktrees'));
  expect(readdirSync(home)).toEqual([]);
  return told;
}

const TAKEN_BACK = /^A merge of subagents' work into .* was cut short and taken back; the patches are kept\.$/;

test('after any number of files, with the next one missing or half written', async () => {
  main();
  const before = place.state();
  save('pristine');
  const { note, steps } = await merged('patch');
  save('after');
  const [step] = steps;
  const paths = place.sh(`git diff-tree -r -z --name-only ${step?.before} ${step?.after}`).split('\0').slice(0, -1);
  expect(paths).toHaveLength(8);
  const put = (path: string) =>
    place.sh(
      `rm -f "${path}"; if [ -e "../after/${path}" ]; then mkdir -p "$(dirname "${path}")"; cp -a "../after/${path}" "${path}"; fi`,
    );
  for (let done = 0; done <= paths.length; done++) {
    for (const torn of ['rm -f', 'truncate -s 2']) {
      restore('pristine');
      for (const path of paths.slice(0, done)) put(path);
      const next = paths[done];
      const isLink = next === 'link';
      if (next) put(next);
      if (next && !(torn.startsWith('truncate') && isLink)) place.sh(`[ ! -e "${next}" ] || ${torn} "${next}"`);
      const told = await reap(note);
      expect(place.state()).toBe(before);
      expect(told).toEqual([expect.stringMatching(TAKEN_BACK)]);
    }
  }
});

test('what somebody changed since is left alone and named', async () => {
  main();
  const { note } = await merged('patch');
  place.write('a', 'mine now\n');
  const told = await reap(note);
  expect(told[0]).toContain('Changed since, and left alone: a.');
  expect(readFileSync(join(place.root, 'a'), 'utf8')).toBe('mine now\n');
  expect(place.sh('ls gone kept')).toBe('gone\nkept\n');
});

test('a branch: with only the index done, with the files too, and with everything done', async () => {
  // A commit cannot build on what is not committed.
  main('other');
  const head = place.sh('git rev-parse HEAD').trim();
  const before = place.state();
  save('pristine');
  place.sh('cp -p .git/index ../index-before');
  const { note } = await merged('branch');
  const complete = place.state();
  save('after');
  place.sh('cp -p .git/index ../index-after; git rev-parse HEAD > ../head-after');
  for (const [index, files] of [
    ['before', 'pristine'],
    ['after', 'pristine'],
    ['after', 'after'],
  ] as const) {
    place.sh(`git update-ref HEAD ${head}; cp -p ../index-${index} .git/index`);
    restore(files);
    // Git was killed while it held the lock.
    await reap(note, () => place.write('.git/index.lock', ''));
    expect(place.state()).toBe(before);
  }
  place.sh('git update-ref HEAD $(cat ../head-after); cp -p ../index-after .git/index');
  restore('after');
  expect(await reap(note)).toEqual([]);
  expect(place.state()).toBe(complete);
});

test('a branch with a change of a repository inside: cut short after any step, both are as before; with the commit, both are done', async () => {
  main('other');
  const inner = join(place.root, 'inner');
  place.init(inner);
  place.write('in.txt', 'inside\n', inner);
  place.commit(inner);
  const state = () => `${place.state()}==\n${place.state(inner)}`;
  const head = place.sh('git rev-parse HEAD').trim();
  const before = state();
  save('pristine');
  place.sh('cp -p .git/index ../index-before');
  const { note, steps } = await merged(
    'branch',
    `${WORK}; echo more >> inner/in.txt; git init -q made; echo x > made/x`,
  );
  // One note for all of it: there is no moment at which one repository is done and the others are forgotten.
  expect(steps.map(({ root }) => root)).toEqual([inner, place.root, place.root]);
  const complete = state();
  save('after');
  place.sh('cp -p .git/index ../index-after; git rev-parse HEAD > ../head-after');
  const stages = [
    ['nothing yet', 'before', []],
    ['the repository inside', 'before', ['inner/in.txt']],
    ['a new one, too', 'before', ['inner/in.txt', 'made']],
    ['the index', 'after', ['inner/in.txt', 'made']],
    ['a file', 'after', ['inner/in.txt', 'made', 'a']],
    ['all but the commit', 'after', ['.']],
  ] as const;
  for (const [stage, index, paths] of stages) {
    place.sh(`git update-ref HEAD ${head}; cp -p ../index-${index} .git/index`);
    restore('pristine');
    if (paths[0] === '.') restore('after');
    else for (const path of paths) place.sh(`rm -rf "${path}"; cp -a "../after/${path}" "${path}"`);
    await reap(note);
    expect(state(), stage).toBe(before);
  }
  place.sh('git update-ref HEAD $(cat ../head-after); cp -p ../index-after .git/index');
  restore('after');
  expect(await reap(note)).toEqual([]);
  expect(state()).toBe(complete);
  // Somebody has gone on since.
  place.sh('git commit -qm mine --allow-empty');
  expect(await reap(note)).toEqual([]);
});

test('with commits of somebody else since, a merge that was cut short is left as it is and named', async () => {
  main('other');
  const head = place.sh('git rev-parse HEAD').trim();
  const { note } = await merged('branch');
  place.sh(`git update-ref HEAD ${head}; git commit -qm mine --allow-empty`);
  const before = place.state();
  expect(await reap(note)).toEqual([expect.stringContaining('there are commits since, so it is left as it is.')]);
  expect(place.state()).toBe(before);
});

test('a merge that git cannot finish is put back at once', async () => {
  main('other');
  const before = place.state();
  const failing: Ports = {
    ...place.ports,
    toolEnv: place.ports.toolEnv,
    processes: {
      ...place.ports.processes,
      async spawn(request) {
        const isLast = request.args[1] === 'update-ref' && request.args.includes('HEAD') && request.cwd === place.root;
        if (isLast) throw new Error('no more processes');
        return place.ports.processes.spawn(request);
      },
    },
  };
  const isolation = await place.isolate('branch', place.root, failing);
  const copy = await isolation.enter('T0');
  place.sh(WORK, copy.cwd);
  const result = { ...blank(0), ...(await copy.capture({ asBranch: true, message: () => 'm' })) };
  await copy.leave();
  const { text } = await isolation.merge([result]);
  await isolation.close();
  expect(text).toContain('Not merged, to be handled by hand: parley/task/T0');
  expect(result).toMatchObject({ error: 'Merge failed: no more processes' });
  place.sh('git update-ref -d refs/heads/parley/task/T0');
  expect(place.state()).toBe(before);
});

test('a repository that was put into the tree is taken out again, unless somebody has worked in it', async () => {
  main();
  const before = place.state();
  const { note } = await merged(
    'patch',
    'git init -q -b main made; cd made; echo x > x; git add -A; git commit -qm one',
  );
  expect(place.sh('git log --format=%s', join(place.root, 'made'))).toBe('one\n');
  place.sh('cp -a made ../whole; rm made/x');
  expect(await reap(note)).toEqual([expect.stringMatching(TAKEN_BACK)]);
  expect(place.state()).toBe(before);
  place.sh('cp -a ../whole made; echo mine > made/mine');
  expect((await reap(note))[0]).toContain('Changed since, and left alone: made.');
  expect(readFileSync(join(place.root, 'made/mine'), 'utf8')).toBe('mine\n');
});
