// Real git in a hostile repository whose configuration starts programs. Each of these programs would create the file `canary`.
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createGit } from '../../../src/core/git/git.ts';
import { buildSafeConfig } from '../../../src/core/git/safe-config.ts';
import { takeSnapshot } from '../../../src/core/subagent/isolation/snapshot.ts';
import { isAlive } from '../../support/processes.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { withTriggeredTimeout } from '../../support/triggered-timeout.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface Repository {
  cwd: string;
  canary: string;
  git: ReturnType<typeof createGit>;
  ports: ReturnType<typeof createSystemPorts>;
  plain(...args: string[]): { status: number | null; stdout: string };
}

function createRepository(env: Record<string, string> = {}): Repository {
  const directory = createTemporaryDirectory();
  const home = join(directory, 'home');
  const cwd = join(directory, 'work');
  mkdirSync(home);
  mkdirSync(cwd);
  const ports = createSystemPorts({ env: { PATH: process.env.PATH, HOME: home, ...env } });
  onTestFinished(() => ports.close());
  const plain = (...args: string[]) => {
    const { status, stdout } = spawnSync('git', args, {
      cwd,
      env: { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
    });
    return { status, stdout };
  };
  plain('init', '-q', '-b', 'main');
  plain('config', '--global', 'user.name', 'A');
  plain('config', '--global', 'user.email', 'a@example.org');
  return { cwd, canary: join(directory, 'canary'), git: createGit(ports, cwd), ports, plain };
}

function commitFiles(repo: Repository, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(repo.cwd, name), text);
  repo.plain('add', '-A');
  repo.plain('commit', '-q', '-m', 'first');
}

/** Configures everything in a repository that can start a program. */
function makeHostile({ cwd, canary, plain }: Repository): void {
  const touch = `touch ${canary}; cat; true`;
  const hooks = join(cwd, '.git', 'hooks');
  mkdirSync(hooks, { recursive: true });
  for (const name of ['pre-commit', 'post-checkout', 'post-commit', 'post-index-change', 'commit-msg', 'pre-auto-gc']) {
    writeFileSync(join(hooks, name), `#!/bin/sh\ntouch ${canary}\n`);
    chmodSync(join(hooks, name), 0o755);
  }
  writeFileSync(join(cwd, '.git', 'monitor'), `#!/bin/sh\ntouch ${canary}\n`);
  chmodSync(join(cwd, '.git', 'monitor'), 0o755);
  for (const [key, value] of [
    ['core.fsmonitor', join(cwd, '.git', 'monitor')],
    ['core.pager', touch],
    ['core.editor', touch],
    ['diff.external', touch],
    ['filter.evil.clean', touch],
    ['filter.evil.smudge', touch],
    ['filter.evil.required', 'true'],
    ['filter.a=b.clean', touch],
    ['diff.evil.command', touch],
    ['diff.evil.textconv', touch],
    ['merge.evil.driver', touch],
    ['commit.gpgSign', 'true'],
    ['gpg.program', touch],
    ['log.showSignature', 'true'],
    ['alias.status', `!${touch}`],
  ] as const)
    plain('config', key, value);
  writeFileSync(
    join(cwd, '.git', 'info', 'attributes'),
    '*.txt filter=evil diff=evil merge=evil\n*.md filter=a=b diff=evil\n',
  );
}

describe('a hostile repository', () => {
  test('control: git without our options runs the helpers', () => {
    const repo = createRepository();
    commitFiles(repo, { 'a.txt': 'one\n' });
    makeHostile(repo);
    writeFileSync(join(repo.cwd, 'a.txt'), 'two\n');
    repo.plain('status');
    expect(existsSync(repo.canary)).toBe(true);
  });

  const calls: readonly (readonly string[])[] = [
    ['status', '--porcelain'],
    ['diff'],
    ['diff', '--cached'],
    ['diff-index', '-p', 'HEAD'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'second'],
    ['log', '-p'],
    ['show', 'HEAD'],
    ['checkout', '-q', '-b', 'other'],
    ['worktree', 'add', '-q', '--detach', '../tree'],
    ['checkout', '-q', 'main'],
    ['stash', '-q'],
    ['merge', '-q', 'side'],
  ];
  test('none of our git calls starts a helper', async () => {
    const repo = createRepository();
    commitFiles(repo, { 'a.txt': 'one\n', 'b.md': 'one\n' });
    repo.plain('checkout', '-q', '-b', 'side');
    commitFiles(repo, { 'a.txt': 'side\n' });
    repo.plain('checkout', '-q', 'main');
    makeHostile(repo);
    for (const call of calls) {
      writeFileSync(join(repo.cwd, 'a.txt'), `${call.join(' ')}\n`);
      writeFileSync(join(repo.cwd, 'b.md'), `${call.join(' ')}\n`);
      await repo.git.run(call);
      expect(existsSync(repo.canary), `git ${call.join(' ')}`).toBe(false);
    }
  });

  test('content is not filtered, and a merge driver of the repository causes a conflict', async () => {
    const repo = createRepository();
    commitFiles(repo, { 'a.txt': 'one\n' });
    repo.plain('checkout', '-q', '-b', 'side');
    commitFiles(repo, { 'a.txt': 'side\n' });
    repo.plain('checkout', '-q', 'main');
    commitFiles(repo, { 'a.txt': 'main\n' });
    makeHostile(repo);
    expect(await repo.git.text(['show', 'HEAD:a.txt'])).toBe('main');
    expect((await repo.git.run(['merge', '-q', 'side'])).code).not.toBe(0);
    expect(await repo.git.text(['status', '--porcelain'])).toContain('UU a.txt');
    expect(existsSync(repo.canary)).toBe(false);
  });

  test.each([['status'], ['diff'], ['diff-files'], ['diff-index', 'HEAD']])(
    'git %s does not run the filter of a submodule',
    async (...call) => {
      const repo = createRepository();
      const inner = join(repo.cwd, 'inner');
      mkdirSync(inner);
      for (const args of [
        ['init', '-q'],
        ['commit', '-qm', 'x', '--allow-empty'],
      ])
        repo.plain('-C', inner, ...args);
      writeFileSync(join(inner, '.gitattributes'), 'f filter=evil\n');
      writeFileSync(join(inner, 'f'), 'one\n');
      repo.plain('-C', inner, 'add', '-A');
      commitFiles(repo, { 'a.txt': 'one\n' });
      repo.plain('-C', inner, 'config', 'filter.evil.clean', `touch ${repo.canary}; cat`);
      writeFileSync(join(inner, 'f'), 'two\n');
      await repo.git.text(call);
      expect(existsSync(repo.canary)).toBe(false);
      repo.plain(...call);
      expect(existsSync(repo.canary)).toBe(true);
    },
  );

  test('a filter whose name is not UTF-8 makes the call fail', async () => {
    const repo = createRepository();
    commitFiles(repo, { 'a.txt': 'one\n' });
    const section = `[filter "evil\xff"]\n\tclean = touch ${repo.canary}; cat\n`;
    appendFileSync(join(repo.cwd, '.git', 'config'), Buffer.from(section, 'latin1'));
    writeFileSync(join(repo.cwd, '.gitattributes'), Buffer.from('*.txt filter=evil\xff\n', 'latin1'));
    writeFileSync(join(repo.cwd, 'a.txt'), 'two\n');
    await expect(repo.git.run(['add', '-A'])).rejects.toThrow('has a key that is not UTF-8');
    expect(existsSync(repo.canary)).toBe(false);
    repo.plain('add', '-A');
    expect(existsSync(repo.canary)).toBe(true);
  });

  test('no command runs when the configuration cannot be listed', async () => {
    const directory = createTemporaryDirectory();
    const realGit = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
    const script = `#!/bin/sh\ncase "$*" in *--get-regexp*) echo no scopes >&2; exit 129;; esac\nexec ${realGit} "$@"\n`;
    writeFileSync(join(directory, 'git'), script, { mode: 0o755 });
    const repo = createRepository({ PATH: `${directory}:${process.env.PATH}` });
    commitFiles(repo, { 'a.txt': 'one\n' });
    makeHostile(repo);
    writeFileSync(join(repo.cwd, 'a.txt'), 'two\n');
    await expect(repo.git.text(['add', '-A'])).rejects.toThrow('git add failed: no scopes');
    expect(existsSync(repo.canary)).toBe(false);
  });

  test('a filter from an included file of the project does not run', async () => {
    const repo = createRepository();
    commitFiles(repo, { 'a.txt': 'one\n' });
    writeFileSync(join(repo.cwd, 'evil.conf'), `[filter "inc"]\n\tclean = touch ${repo.canary}; cat\n`);
    repo.plain('config', 'include.path', '../evil.conf');
    writeFileSync(join(repo.cwd, '.gitattributes'), '*.txt filter=inc\n');
    writeFileSync(join(repo.cwd, 'a.txt'), 'two\n');
    await repo.git.run(['add', '-A']);
    expect(existsSync(repo.canary)).toBe(false);
  });
});

describe('user configuration', () => {
  test('filters that the user defined for all repositories still run', async () => {
    const repo = createRepository();
    repo.plain('config', '--global', 'filter.mine.clean', `touch ${repo.canary}; cat`);
    commitFiles(repo, { '.gitattributes': '*.txt filter=mine\n' });
    rmSync(repo.canary, { force: true });
    writeFileSync(join(repo.cwd, 'a.txt'), 'x\n');
    await repo.git.run(['add', 'a.txt']);
    expect(existsSync(repo.canary)).toBe(true);
  });

  test('a filter of the user, such as git-lfs, does not read programs that the repository configures', async () => {
    const repo = createRepository();
    const output = join(repo.cwd, '..', 'output');
    const keys = ['lfs.extension.evil.clean', 'lfs.customtransfer.evil.path', 'lfs.https://x/.standalonetransferagent'];
    const readKeys = keys.map((key) => `git config ${key} >> ${output}; `).join('');
    repo.plain('config', '--global', 'filter.mine.clean', `${readKeys} git config lfs.url >> ${output}; cat`);
    commitFiles(repo, { '.gitattributes': '*.bin filter=mine\n' });
    for (const key of [...keys, 'lfs.url']) repo.plain('config', key, `touch ${repo.canary}`);
    writeFileSync(join(repo.cwd, 'a.bin'), 'x\n');
    await repo.git.text(['add', 'a.bin']);
    expect(readFileSync(output, 'utf8')).toBe('false\nfalse\n\nfile:///dev/null\n');
  });

  test('a filter that both define has the definition of the user', () => {
    const listing = ['global', 'filter.lfs.clean\nmine', 'local', 'filter.lfs.clean\ntheirs', ''].join('\0');
    expect(buildSafeConfig(listing)['filter.lfs.clean']).toBe('mine');
  });
});

test('the environment has no provider keys, no git variables and no relative PATH entries', async () => {
  const repo = createRepository({
    ANTHROPIC_API_KEY: 'canary-key',
    GIT_DIR: '/nowhere',
    GIT_EXTERNAL_DIFF: 'false',
    PATH: `.:bin:${process.env.PATH}`,
  });
  repo.plain('config', '--global', 'alias.env', '!env');
  const text = await repo.git.text(['env']);
  expect(text).not.toContain('canary-key');
  expect(text).not.toContain('GIT_DIR=/nowhere');
  expect(text).not.toMatch(/GIT_EXTERNAL_DIFF/);
  expect(text).not.toMatch(/^PATH=.*:(\.|bin):/m);
});

test('a failure has the error output of git', async () => {
  const { git } = createRepository();
  await expect(git.text(['rev-parse', '--verify', 'nope'])).rejects.toThrow(/^git rev-parse failed: fatal: /);
  expect((await git.run(['rev-parse', '--verify', 'nope'])).code).toBe(128);
});

test('a timeout and an abort end the git process', async () => {
  const repo = createRepository();
  repo.plain('config', '--global', 'alias.wait', `!echo $$ > ${repo.canary}; sleep 600`);
  const isStarted = () => existsSync(repo.canary) && readFileSync(repo.canary, 'utf8') !== '';
  const git = createGit(withTriggeredTimeout(repo.ports, 1500, isStarted), repo.cwd);
  await expect(git.run(['wait'], { timeoutMs: 1500 })).rejects.toThrow('timed out');
  const pid = Number(readFileSync(repo.canary, 'utf8'));
  await waitUntil(() => !isAlive(pid));
  await expect(repo.git.run(['status'], { signal: AbortSignal.abort() })).rejects.toThrow('git status was aborted');
});

test.each(['bin', 'node_modules/.bin', '../node_modules/.bin'])(
  'a program named git in %s of the project',
  async (name) => {
    const { cwd, canary } = createRepository();
    const directory = join(cwd, name);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'git'), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
    const ports = createSystemPorts({ env: { PATH: `${directory}:${process.env.PATH}` } });
    onTestFinished(() => ports.close());
    expect(await createGit(ports, cwd).text(['rev-parse', '--show-toplevel'])).toContain('work');
    expect(existsSync(canary)).toBe(false);
  },
);

test('a nested repository whose working tree is elsewhere adds no files from there', async () => {
  const repo = createRepository();
  const outside = join(repo.cwd, '..', 'outside');
  const nested = join(repo.cwd, 'nested');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'canary');
  repo.plain('init', '-q', nested);
  repo.plain('-C', nested, 'commit', '-q', '--allow-empty', '-m', 'first');
  repo.plain('-C', nested, 'config', 'core.worktree', outside);
  const snapshot = await takeSnapshot({ ports: repo.ports, scratchDirectory: join(repo.cwd, '..') }, nested);
  expect(await createGit(repo.ports, nested).text(['ls-tree', snapshot.tree])).toBe('');
});
