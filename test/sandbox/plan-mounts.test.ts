// Which paths are writable, protected and hidden, on directories of real files, and the arguments of bubblewrap for them. Starts no process.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFiles } from '../../src/app/system-ports/files.ts';
import { buildBwrapArguments } from '../../src/sandbox/bwrap-arguments.ts';
import { planMounts } from '../../src/sandbox/plan-mounts.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox-options.ts';
import { GIT_CONTROL_NAMES, PROTECTED_NAMES } from '../../src/support/protected-paths.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const REPOSITORY = { HEAD: 'ref: x\n', config: '[core]\n', 'objects/x': '', 'refs/x': '' };

/** `prefix` is added to each path. */
const below = (prefix: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${prefix}/${path}`, text]));

function createTree(files: Record<string, string>): string {
  const base = createTemporaryDirectory();
  mkdirSync(join(base, 'home/work'), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
  return base;
}

async function plan(base: string, options: Partial<SandboxOptions> = {}) {
  const result = await planMounts({
    ...{ mode: 'workspace-write', network: 'off', writableRoots: [], deniedReads: [], programPaths: [] },
    cwd: join(base, 'home/work'),
    home: join(base, 'home'),
    agentDirectory: join(base, 'home/.parley'),
    ports: { files: createFiles(), toolEnv: {} },
    ...options,
  });
  const inBase = [...result.mounts].filter(([path]) => path.startsWith(`${base}/`));
  const mounts = Object.fromEntries(inBase.map(([path, kind]) => [path.slice(base.length + 1), kind]));
  return { ...result, named: mounts };
}

describe('protected names', () => {
  test('missing ones are placeholders, existing ones read-only, and nothing is created', async () => {
    const base = createTree({ 'home/work/.mcp.json': '{}', 'home/work/.vscode/tasks.json': '{}' });
    const { named, placeholders } = await plan(base);
    expect(named['home/work']).toBe('writable');
    for (const name of PROTECTED_NAMES)
      expect(named[`home/work/${name}`]).toBe(/mcp|vscode/.test(name) ? 'read-only' : 'placeholder');
    expect(named['home/work/.git']).toBe('placeholder');
    expect(placeholders).toHaveLength(PROTECTED_NAMES.length - 2 + 1);
    expect(readdirSync(join(base, 'home/work')).sort()).toEqual(['.mcp.json', '.vscode']);
  });

  test('read-only: nothing is writable, and nothing needs a placeholder', async () => {
    const { named, placeholders, writableRoots } = await plan(createTree({}), { mode: 'read-only' });
    expect([named, placeholders, writableRoots]).toEqual([{ 'home/work': 'kept' }, [], []]);
  });

  test.each(['/', '/dev', '/proc'])('read-only in %s: the directory is not mounted again', async (cwd) => {
    const { mounts } = await plan(createTree({}), { mode: 'read-only', cwd });
    expect(mounts.get(cwd)).not.toBe('kept');
  });

  test('nested writable directories are protected each, and more names in a writable home directory', async () => {
    const base = createTree({ 'home/.config/git/config': '' });
    const { named } = await plan(base, { writableRoots: [join(base, 'home')] });
    expect(named).toMatchObject({
      home: 'writable',
      'home/work': 'writable',
      'home/.bashrc': 'placeholder',
      'home/work/.bashrc': 'placeholder',
      'home/.gitconfig': 'placeholder',
      'home/.config': 'mount-point',
      'home/.config/git': 'read-only',
      'home/.local': 'placeholder',
    });
  });

  test.each(['.claude', '.git', '.bashrc'])('a link %s is refused', async (name) => {
    const base = createTree({ 'home/other/x': '' });
    symlinkSync(join(base, 'home/other'), join(base, 'home/work', name));
    await expect(plan(base)).rejects.toThrow(`home/work/${name}, because it is a symbolic link`);
  });

  test.each(['/', '/proc', '/sys/kernel', '/dev'])('%s cannot be writable', async (root) => {
    await expect(plan(createTree({}), { writableRoots: [root] })).rejects.toThrow(`when ${root} is writable`);
  });
});

test('the files of the running program, if they are in a writable directory', async () => {
  const base = createTree({ 'home/work/node_modules/parley-agent/dist/cli.js': '', 'home/bin/rg': '' });
  const programPaths = ['home/work/node_modules/parley-agent/dist', 'home/bin/rg'].map((path) => join(base, path));
  const { named } = await plan(base, { programPaths });
  expect(named).toMatchObject({
    'home/work/node_modules': 'mount-point',
    'home/work/node_modules/parley-agent': 'mount-point',
    'home/work/node_modules/parley-agent/dist': 'read-only',
  });
  expect(named).not.toHaveProperty('home/bin/rg');
});

describe('git', () => {
  test('the configuration and hooks of a repository, existing or not', async () => {
    const { named, placeholders } = await plan(createTree(below('home/work/.git', REPOSITORY)));
    expect(named).toMatchObject({
      'home/work/.git': 'mount-point',
      'home/work/.git/config': 'read-only',
      'home/work/.git/hooks': 'placeholder',
      'home/work/.git/config.worktree': 'read-only',
      'home/work/.git/commondir': 'read-only',
      'home/work/.git/parley-sandbox': 'placeholder',
    });
    const inGit = placeholders.filter(({ path }) => path.includes('.git/'));
    expect(inGit.map(({ path, files }) => [basename(path), files.map(({ content }) => content)])).toEqual([
      ['hooks', []],
      ['parley-sandbox', ['', '.\n']],
    ]);
    const protectedNames = Object.keys(named).flatMap((path) => path.split('/.git/')[1] ?? []);
    expect(GIT_CONTROL_NAMES).toEqual(expect.arrayContaining(protectedNames));
  });

  test('a worktree: its .git file, and its repository if that is writable', async () => {
    const tree = {
      ...below('home/main/.git', REPOSITORY),
      'home/main/.git/worktrees/w/HEAD': 'x',
      'home/main/.git/worktrees/w/commondir': '../..\n',
      'home/main/.git/worktrees/w/gitdir': 'x',
    };
    const base = createTree(tree);
    writeFileSync(join(base, 'home/work/.git'), `gitdir: ${base}/home/main/.git/worktrees/w\n`);
    const outside = await plan(base);
    expect(outside.named['home/work/.git']).toBe('read-only');
    expect(Object.keys(outside.named).filter((path) => path.startsWith('home/main'))).toEqual([]);
    const { named } = await plan(base, { writableRoots: [join(base, 'home/main')] });
    expect(named).toMatchObject({
      'home/main/.git/config': 'read-only',
      'home/main/.git/hooks': 'placeholder',
      'home/main/.git/worktrees/w/commondir': 'read-only',
      'home/main/.git/worktrees/w/gitdir': 'read-only',
    });
  });

  test('submodules, also nested ones; with a link or too many of them, all are read-only', async () => {
    const module = (name: string) => below(`home/work/.git/modules/${name}`, { ...REPOSITORY, 'hooks/x': '' });
    const base = createTree({ ...below('home/work/.git', REPOSITORY), ...module('a/b'), ...module('a/b/modules/c') });
    expect((await plan(base)).named).toMatchObject({
      'home/work/.git/modules/a/b/config': 'read-only',
      'home/work/.git/modules/a/b/hooks': 'read-only',
      'home/work/.git/modules/a/b/modules/c/config': 'read-only',
    });
    symlinkSync(join(base, 'home'), join(base, 'home/work/.git/modules/link'));
    expect((await plan(base)).named['home/work/.git/modules']).toBe('read-only');
    const many = Object.assign({}, ...Array.from({ length: 17 }, (_, index) => module(`m${index}`)));
    const manyTree = createTree({ ...below('home/work/.git', REPOSITORY), ...many });
    expect((await plan(manyTree)).named['home/work/.git/modules']).toBe('read-only');
  });
});

describe('secrets', () => {
  test('existing ones are hidden where they are, also behind a link', async () => {
    const base = createTree({
      'home/.ssh/id': '',
      'home/.netrc': '',
      'vault/aws/x': '',
      'home/.pi/auth.json': '',
      'd/x': '',
    });
    symlinkSync(join(base, 'vault/aws'), join(base, 'home/.aws'));
    const { named } = await plan(base, { deniedReads: [join(base, 'd'), join(base, 'missing')] });
    expect(named).toMatchObject({
      'home/.ssh': 'hidden-directory',
      'home/.netrc': 'hidden-file',
      'vault/aws': 'hidden-directory',
      'home/.pi': 'hidden-directory',
      d: 'hidden-directory',
    });
    expect(named).not.toHaveProperty('missing');
  });

  test('sockets of variables are hidden', async () => {
    const base = createTree({ 'agent.sock': '', 'docker.sock': '' });
    const toolEnv = { SSH_AUTH_SOCK: join(base, 'agent.sock'), DOCKER_HOST: `unix://${base}/docker.sock` };
    const { named } = await plan(base, { ports: { files: createFiles(), toolEnv } as never });
    expect(named).toMatchObject({ 'agent.sock': 'hidden-file', 'docker.sock': 'hidden-file' });
  });
});

describe('arguments of bubblewrap', () => {
  const directories = { temporary: '/p/tmp', emptyFile: '/p/empty-file' };
  const build = (mounts: Parameters<typeof buildBwrapArguments>[0]['plan']['mounts'], hasNetwork = false) =>
    buildBwrapArguments({
      ...{ plan: { mounts }, directories, hasNetwork, canDisableUserNamespaces: true, cwd: '/w' },
      ...{ command: '/bin/bash', args: ['-c', '--bind / /'] },
    });

  test('outer paths first; nothing is mounted in hidden directories, except what must be visible', () => {
    const args = build(
      new Map([
        ['/h/.ssh/x', 'read-only'],
        ['/h/.ssh', 'hidden-directory'],
        ['/h/.ssh/w/.git', 'placeholder'],
        ['/h/.ssh/w', 'writable'],
        ['/h/.netrc', 'hidden-file'],
      ]),
    );
    const text = args.join(' ');
    expect(text).toContain('--ro-bind / / --dev /dev --proc /proc --bind /p/tmp /tmp');
    expect(text).toContain(
      '--ro-bind /p/empty-file /h/.netrc --tmpfs /h/.ssh --bind /h/.ssh/w /h/.ssh/w --perms 0555 --tmpfs /h/.ssh/w/.git --remount-ro /h/.ssh',
    );
    expect(text).not.toContain('/h/.ssh/x');
    expect(args.slice(-6)).toEqual(['--chdir', '/w', '--', '/bin/bash', '-c', '--bind / /']);
  });

  test('every namespace is new, and there are no capabilities; the network only on request', () => {
    const needed = ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-net', '--new-session'];
    const args = build(new Map());
    expect(args).toEqual(expect.arrayContaining([...needed, '--die-with-parent', '--disable-userns']));
    expect(args.join(' ')).toContain('--cap-drop ALL');
    expect(build(new Map(), true)).not.toContain('--unshare-net');
  });
});
