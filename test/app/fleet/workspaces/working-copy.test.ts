// Working copies with real git: what is restored on another machine is what was recorded, and the repository of the user stays as it is.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ControlRepository } from '../../../../src/app/fleet/workspaces/control-repository.ts';
import { WorkingCopy } from '../../../../src/app/fleet/workspaces/working-copy.ts';
import { createSystemPorts } from '../../../../src/app/system-ports/index.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const REF = 'refs/parley/team/one';

function createMachine(remote: string, source: string) {
  const directory = createTemporaryDirectory();
  const ports = createSystemPorts({ env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: '1' } });
  onTestFinished(() => ports.close());
  const control = new ControlRepository({ ports, path: join(directory, 'control'), repository: source, remote });
  const copy = new WorkingCopy({ ports, directory: join(directory, 'session'), name: 'app' });
  return { control, copy, root: copy.root };
}

function createRepository() {
  const directory = createTemporaryDirectory();
  const source = join(directory, 'app');
  const remote = join(directory, 'remote.git');
  const git = (args: string, cwd = source) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args.split(' ')], {
      cwd,
      env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
    }).trim();
  mkdirSync(source);
  git('init -q -b main');
  git(`init -q --bare ${remote}`);
  writeFileSync(join(source, 'kept'), 'kept\n');
  writeFileSync(join(source, 'changed'), 'before\n');
  writeFileSync(join(source, 'deleted'), 'x\n');
  writeFileSync(join(source, '.gitignore'), 'ignored\nforced\n');
  git('add -A');
  git('commit -q -m first');
  return { source, remote, git, base: git('rev-parse HEAD') };
}

test('every kind of change is restored on another machine', async () => {
  const { source, remote, git, base } = createRepository();
  writeFileSync(join(source, 'of-the-user'), 'uncommitted');
  const first = createMachine(remote, source);
  await first.control.prepare(join(source, '.git/objects'));
  await first.copy.create(first.control, { head: base, snapshot: base, branch: 'refs/heads/parley/one' }, source);
  expect(existsSync(join(first.root, 'of-the-user'))).toBe(false);
  expect(await first.copy.record(base)).toEqual({ head: base, snapshot: base, branch: 'refs/heads/parley/one' });

  writeFileSync(join(first.root, 'committed'), 'by the agent\n');
  writeFileSync(join(first.root, 'forced'), 'tracked although it is ignored\n');
  git('add -f committed forced', first.root);
  git('commit -q -m agent', first.root);
  writeFileSync(join(first.root, 'changed'), 'after\n');
  rmSync(join(first.root, 'deleted'));
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256));
  writeFileSync(join(first.root, 'binary'), bytes);
  mkdirSync(join(first.root, 'new folder'));
  writeFileSync(join(first.root, 'new folder/script ü.sh'), '#!/bin/sh\n');
  chmodSync(join(first.root, 'new folder/script ü.sh'), 0o755);
  symlinkSync('../outside', join(first.root, 'link'));
  writeFileSync(join(first.root, 'ignored'), 'x');
  writeFileSync(join(first.root, 'staged'), 'x\n');
  git('add staged', first.root);
  const indexBefore = readFileSync(join(first.root, '.git/index'));
  const recorded = await first.copy.record(base);
  expect(recorded.head).toBe(git('rev-parse HEAD', first.root));
  expect(readFileSync(join(first.root, '.git/index'))).toEqual(indexBefore);
  await first.control.push([`${recorded.snapshot}:${REF}`], first.copy.objects);
  // The same state is not recorded twice.
  expect((await first.copy.record(base)).head).toBe(recorded.head);

  rmSync(join(source, '.git'), { recursive: true });
  const second = createMachine(remote, remote);
  await second.control.prepare();
  await second.control.fetch('snapshots', [`+${REF}:${REF}`]);
  await second.copy.create(second.control, recorded, 'https://me:s3cret@h/app');
  const read = (path: string) => readFileSync(join(second.root, path), 'utf8');
  expect([read('kept'), read('changed'), read('committed'), read('staged'), read('forced')]).toEqual([
    ...['kept\n', 'after\n', 'by the agent\n', 'x\n', 'tracked although it is ignored\n'],
  ]);
  expect(readFileSync(join(second.root, 'binary'))).toEqual(bytes);
  expect(lstatSync(join(second.root, 'new folder/script ü.sh')).mode & 0o111).toBe(0o111);
  expect(readlinkSync(join(second.root, 'link'))).toBe('../outside');
  expect(['deleted', 'ignored', 'of-the-user'].filter((name) => existsSync(join(second.root, name)))).toEqual([]);
  expect(git('log --format=%s', second.root)).toBe('agent\nfirst');
  expect(git('symbolic-ref HEAD', second.root)).toBe('refs/heads/parley/one');
  const status = git('status --porcelain', second.root)
    .split('\n')
    .map((line) => line.trim());
  expect(status).toEqual([
    'M changed',
    'D deleted',
    ...['binary', 'link', '"new folder/"', 'staged'].map((name) => `?? ${name}`),
  ]);
  expect(readFileSync(join(second.root, '.git/config'), 'utf8')).not.toContain('s3cret');
  // What is tracked although it is ignored stays part of the snapshots.
  expect((await second.copy.record(base)).head).toBe(recorded.head);
  const again = await second.copy.record(base);
  expect(git(`diff --stat ${recorded.snapshot} ${again.snapshot}`, second.root)).toBe('');
});

test('nothing in the repository of the user changes, and none of its hooks run', async () => {
  const { source, remote, git, base } = createRepository();
  const canary = join(source, '..', 'canary');
  for (const name of ['pre-push', 'post-checkout', 'reference-transaction', 'pre-commit', 'post-index-change'])
    writeFileSync(join(source, '.git/hooks', name), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
  git(`config core.fsmonitor ${join(source, '.git/hooks/pre-push')}`);
  const describe = () => [
    ...[git('-c core.fsmonitor=false status --porcelain'), git('for-each-ref'), git('rev-parse HEAD')],
    ...['config', 'index', 'HEAD'].map((name) => readFileSync(join(source, '.git', name), 'latin1')),
  ];
  describe();
  const before = describe();
  rmSync(canary, { force: true });
  const { control, copy, root } = createMachine(remote, source);
  await control.prepare(join(source, '.git/objects'));
  await control.fetch('repository', ['+refs/heads/*:refs/heads/*']);
  await copy.create(control, { head: base, snapshot: base, branch: 'refs/heads/parley/one' }, source);
  expect(git('for-each-ref --format=%(refname)', root)).toContain('refs/remotes/origin/main');
  for (const name of ['pre-push', 'post-index-change', 'pre-commit']) {
    mkdirSync(join(root, '.git/hooks'), { recursive: true });
    writeFileSync(join(root, '.git/hooks', name), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
  }
  writeFileSync(join(root, 'new'), 'x');
  const { snapshot } = await copy.record(base);
  await control.push([`${snapshot}:${REF}`], copy.objects);
  expect(git('for-each-ref', remote)).toBe(`${snapshot} commit\t${REF}`);
  expect(existsSync(canary)).toBe(false);
  expect(describe()).toEqual(before);
});

test('a repository that was replaced by another one is not recorded', async () => {
  const { source, remote, git, base } = createRepository();
  const { control, copy, root } = createMachine(remote, source);
  await control.prepare(join(source, '.git/objects'));
  await copy.create(control, { head: base, snapshot: base }, source);
  expect(git('rev-parse --abbrev-ref HEAD', root)).toBe('HEAD');
  rmSync(join(root, '.git'), { recursive: true });
  await expect(copy.record(base)).rejects.toThrow('is no longer the git repository');
  writeFileSync(join(root, '.git'), `gitdir: ${source}/.git\n`);
  await expect(copy.record(base)).rejects.toThrow('is no longer the git repository');
});

test('a program in the address of a remote is not started', async () => {
  const { source, base } = createRepository();
  const canary = join(source, 'canary');
  const { control } = createMachine(`ext::touch ${canary}`, source);
  await control.prepare(join(source, '.git/objects'));
  await expect(control.push([`${base}:${REF}`])).rejects.toThrow(/transport 'ext' not allowed/);
  expect(existsSync(canary)).toBe(false);
});
