// Real git in a repository that would run something at every turn. A file called `canary` says that it did.
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createGit } from '../../../src/core/git/git.ts';
import { quietSettings } from '../../../src/core/git/quiet-config.ts';
import { isAlive } from '../../support/processes.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { withLimit } from '../../support/time-limit.ts';
import { until } from '../../support/until.ts';

interface Repository {
  cwd: string;
  canary: string;
  git: ReturnType<typeof createGit>;
  ports: ReturnType<typeof createSystemPorts>;
  plain(...args: string[]): { status: number | null; stdout: string };
}

function repository(env: Record<string, string> = {}): Repository {
  const place = temporaryDirectory();
  const home = join(place, 'home');
  const cwd = join(place, 'work');
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
  return { cwd, canary: join(place, 'canary'), git: createGit(ports, cwd), ports, plain };
}

function committed(repo: Repository, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(repo.cwd, name), text);
  repo.plain('add', '-A');
  repo.plain('commit', '-q', '-m', 'first');
}

/** Everything in a repository that starts a program. */
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
  test('plain git would run its helpers, so the fixture bites', () => {
    const repo = repository();
    committed(repo, { 'a.txt': 'one\n' });
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
  test('none of our calls runs any of them', async () => {
    const repo = repository();
    committed(repo, { 'a.txt': 'one\n', 'b.md': 'one\n' });
    repo.plain('checkout', '-q', '-b', 'side');
    committed(repo, { 'a.txt': 'side\n' });
    repo.plain('checkout', '-q', 'main');
    makeHostile(repo);
    for (const call of calls) {
      writeFileSync(join(repo.cwd, 'a.txt'), `${call.join(' ')}\n`);
      writeFileSync(join(repo.cwd, 'b.md'), `${call.join(' ')}\n`);
      await repo.git.run(call);
      expect(existsSync(repo.canary), `git ${call.join(' ')}`).toBe(false);
    }
  });

  test('content passes unfiltered, and a merge driver of the repository leaves a conflict', async () => {
    const repo = repository();
    committed(repo, { 'a.txt': 'one\n' });
    repo.plain('checkout', '-q', '-b', 'side');
    committed(repo, { 'a.txt': 'side\n' });
    repo.plain('checkout', '-q', 'main');
    committed(repo, { 'a.txt': 'main\n' });
    makeHostile(repo);
    expect(await repo.git.text(['show', 'HEAD:a.txt'])).toBe('main');
    expect((await repo.git.run(['merge', '-q', 'side'])).code).not.toBe(0);
    expect(await repo.git.text(['status', '--porcelain'])).toContain('UU a.txt');
    expect(existsSync(repo.canary)).toBe(false);
  });

  test.each([['status'], ['diff'], ['diff-files'], ['diff-index', 'HEAD']])(
    'git %s does not look into a submodule with a filter of its own',
    async (...call) => {
      const repo = repository();
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
      committed(repo, { 'a.txt': 'one\n' });
      repo.plain('-C', inner, 'config', 'filter.evil.clean', `touch ${repo.canary}; cat`);
      writeFileSync(join(inner, 'f'), 'two\n');
      await repo.git.text(call);
      expect(existsSync(repo.canary)).toBe(false);
      repo.plain(...call);
      expect(existsSync(repo.canary)).toBe(true);
    },
  );

  test('a filter whose name is not UTF-8 makes the call fail', async () => {
    const repo = repository();
    committed(repo, { 'a.txt': 'one\n' });
    const section = `[filter "evil\xff"]\n\tclean = touch ${repo.canary}; cat\n`;
    appendFileSync(join(repo.cwd, '.git', 'config'), Buffer.from(section, 'latin1'));
    writeFileSync(join(repo.cwd, '.gitattributes'), Buffer.from('*.txt filter=evil\xff\n', 'latin1'));
    writeFileSync(join(repo.cwd, 'a.txt'), 'two\n');
    await expect(repo.git.run(['add', '-A'])).rejects.toThrow('has a key that is not UTF-8');
    expect(existsSync(repo.canary)).toBe(false);
    repo.plain('add', '-A');
    expect(existsSync(repo.canary)).toBe(true);
  });

  test('nothing runs when its configuration cannot be listed', async () => {
    const place = temporaryDirectory();
    const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
    const script = `#!/bin/sh\ncase "$*" in *--get-regexp*) echo no scopes >&2; exit 129;; esac\nexec ${real} "$@"\n`;
    writeFileSync(join(place, 'git'), script, { mode: 0o755 });
    const repo = repository({ PATH: `${place}:${process.env.PATH}` });
    committed(repo, { 'a.txt': 'one\n' });
    makeHostile(repo);
    writeFileSync(join(repo.cwd, 'a.txt'), 'two\n');
    await expect(repo.git.text(['add', '-A'])).rejects.toThrow('git add failed: no scopes');
    expect(existsSync(repo.canary)).toBe(false);
  });

  test('an included file of the project is no way round', async () => {
    const repo = repository();
    committed(repo, { 'a.txt': 'one\n' });
    writeFileSync(join(repo.cwd, 'evil.conf'), `[filter "inc"]\n\tclean = touch ${repo.canary}; cat\n`);
    repo.plain('config', 'include.path', '../evil.conf');
    writeFileSync(join(repo.cwd, '.gitattributes'), '*.txt filter=inc\n');
    writeFileSync(join(repo.cwd, 'a.txt'), 'two\n');
    await repo.git.run(['add', '-A']);
    expect(existsSync(repo.canary)).toBe(false);
  });
});

describe('the user’s own', () => {
  test('filters that the user defined for all repositories still run', async () => {
    const repo = repository();
    repo.plain('config', '--global', 'filter.mine.clean', `touch ${repo.canary}; cat`);
    committed(repo, { '.gitattributes': '*.txt filter=mine\n' });
    rmSync(repo.canary, { force: true });
    writeFileSync(join(repo.cwd, 'a.txt'), 'x\n');
    await repo.git.run(['add', 'a.txt']);
    expect(existsSync(repo.canary)).toBe(true);
  });

  test('a filter of the user, as git-lfs is one, sees no program that the repository names for it', async () => {
    const repo = repository();
    const seen = join(repo.cwd, '..', 'seen');
    const keys = ['lfs.extension.evil.clean', 'lfs.customtransfer.evil.path', 'lfs.https://x/.standalonetransferagent'];
    const ask = keys.map((key) => `git config ${key} >> ${seen}; `).join('');
    repo.plain('config', '--global', 'filter.mine.clean', `${ask} git config lfs.url >> ${seen}; cat`);
    committed(repo, { '.gitattributes': '*.bin filter=mine\n' });
    for (const key of [...keys, 'lfs.url']) repo.plain('config', key, `touch ${repo.canary}`);
    writeFileSync(join(repo.cwd, 'a.bin'), 'x\n');
    await repo.git.text(['add', 'a.bin']);
    expect(readFileSync(seen, 'utf8')).toBe('false\nfalse\n\nfile:///dev/null\n');
  });

  test('a repository that redefines one gets the user’s definition', () => {
    const listing = ['global', 'filter.lfs.clean\nmine', 'local', 'filter.lfs.clean\ntheirs', ''].join('\0');
    expect(quietSettings(listing)['filter.lfs.clean']).toBe('mine');
  });
});

test('no provider’s key, no variable of git and no relative path is in the environment', async () => {
  const repo = repository({
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

test('git’s own words when it says no', async () => {
  const { git } = repository();
  await expect(git.text(['rev-parse', '--verify', 'nope'])).rejects.toThrow(/^git rev-parse failed: fatal: /);
  expect((await git.run(['rev-parse', '--verify', 'nope'])).code).toBe(128);
});

test('aborted and late calls end their process', async () => {
  const repo = repository();
  repo.plain('config', '--global', 'alias.wait', `!echo $$ > ${repo.canary}; sleep 600`);
  const isUp = () => existsSync(repo.canary) && readFileSync(repo.canary, 'utf8') !== '';
  const git = createGit(withLimit(repo.ports, 1500, isUp), repo.cwd);
  await expect(git.run(['wait'], { timeoutMs: 1500 })).rejects.toThrow('took too long');
  const pid = Number(readFileSync(repo.canary, 'utf8'));
  await until(() => !isAlive(pid));
  await expect(repo.git.run(['status'], { signal: AbortSignal.abort() })).rejects.toThrow('git status was aborted');
});
