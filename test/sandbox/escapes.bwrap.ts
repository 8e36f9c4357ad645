// Ways out of the sandbox other than a protected file or a listed secret: what the command inherits, the settings of the kernel, other
// sessions, and files that redirect git.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFixture } from './run-sandboxed.ts';
import {
  becomeUnprivileged,
  createMachine,
  listPrivateDirectories,
  type Machine,
  startHost,
} from './sandboxed-program.ts';

const USERS: readonly (readonly [string, (machine: Machine) => string[]])[] = [
  ['the user of the tests', () => []],
  ['an unprivileged user', becomeUnprivileged],
];

/** Starts the program with an open directory, a file to read and a file to write, at numbers that Node does not close. */
const WITH_DESCRIPTORS = ['bash', '-c', 'exec 77<"$HOME" 200<"$HOME/.netrc" 201>>"$HOME/log"; exec "$@"', 'bash'];

test.each(USERS)('descriptors that the program has inherited: %s', async (_, become) => {
  const machine = createMachine({ '.netrc': 'canary', '.ssh/id': 'canary' });
  const prefix = [...become(machine), ...WITH_DESCRIPTORS];
  const { run } = startHost(machine, [], { prefix });
  const { output } = await run(
    'cat /proc/self/fd/77/.ssh/id <&200; cat /proc/self/fd/77/.netrc; echo x >&201; echo x > /proc/self/fd/77/new; cd /proc/self/fd/77; pwd -P',
  );
  expect(output).not.toContain('canary');
  expect(readdirSync(machine.home).sort()).toEqual(['.netrc', '.parley', '.ssh', 'log', 'work']);
  expect(readFileSync(join(machine.home, 'log'), 'utf8')).toBe('');
});

test.each(USERS)('settings of the kernel: %s', async (_, become) => {
  const machine = createMachine();
  const { run } = startHost(machine, [], { prefix: become(machine) });
  // Opened, and not written.
  const names = ['kernel/core_pattern', 'kernel/hostname', 'vm/drop_caches', 'vm/overcommit_memory', 'fs/file-max'];
  const files = [...names.map((name) => `/proc/sys/${name}`), '/proc/sysrq-trigger'];
  const { output } = await run(
    `for F in ${files.join(' ')}; do (: >> $F) 2>/dev/null && echo "open $F"; done; echo end`,
  );
  expect(output).toBe('end\n');
});

test('the private directory of another session', async () => {
  const machine = createMachine();
  const [first, second] = [startHost(machine), startHost(machine)];
  await first.run('echo canary > /tmp/private');
  expect(listPrivateDirectories(machine)).toHaveLength(1);
  const { output } = await second.run(`cat ${machine.temporary}/*/tmp/private; find ${machine.temporary}; ls /tmp`);
  expect(output).not.toMatch(/canary$|private$/m);
  expect((await first.run('cat /tmp/private')).output).toBe('canary\n');
});

function git(cwd: string, ...args: string[]): void {
  const config = ['-c', 'protocol.file.allow=always', '-c', 'user.name=a', '-c', 'user.email=a@localhost'];
  execFileSync('git', [...config, ...args], { cwd, stdio: 'ignore' });
}

/** A repository with a submodule and a worktree. Both read `config.worktree`. */
function createRepository(cwd: string): void {
  const source = join(cwd, '..', 'source');
  mkdirSync(source);
  for (const directory of [source, cwd]) {
    git(directory, 'init', '-q');
    writeFileSync(join(directory, 'file'), 'text\n');
    git(directory, 'add', '.');
    git(directory, 'commit', '-q', '-m', 'first');
  }
  git(cwd, 'submodule', 'add', source, 'sub');
  for (const directory of [cwd, join(cwd, 'sub')]) git(directory, 'config', 'extensions.worktreeConfig', 'true');
  git(cwd, 'worktree', 'add', join(cwd, '..', 'tree'));
}

const REDIRECTIONS: Readonly<Record<string, string>> = {
  'commondir of a submodule':
    'cp -r .git/modules/sub other; cat evil >> other/config; echo ../../../other > .git/modules/sub/commondir',
  'config.worktree of a submodule': 'cat evil > .git/modules/sub/config.worktree',
  'config of a submodule': 'cat evil >> .git/modules/sub/config',
  'config.worktree of a worktree': 'cat evil > .git/worktrees/tree/config.worktree',
  'commondir of a worktree':
    'cp -r .git other; cat evil >> other/config; echo ../../../other > .git/worktrees/tree/commondir',
  'another directory of a worktree':
    'cp -r .git/worktrees/tree t; cat evil > t/config.worktree; rm -rf old; mv -T .git/worktrees/tree old; mv -T t .git/worktrees/tree',
};

/** Whether git runs a program of the attacker, outside the sandbox, in the repository, its submodule and its worktree. */
function isDeceived(cwd: string, canary: string): boolean {
  // Git may fail, because the attack has removed files.
  for (const directory of [cwd, join(cwd, 'sub'), join(cwd, '../tree')])
    spawnSync('git', ['status'], { cwd: directory });
  return existsSync(canary);
}

test.each(Object.entries(REDIRECTIONS))('%s', async (_, attack) => {
  const { cwd, home, run } = createFixture();
  createRepository(cwd);
  const canary = join(home, 'canary');
  const evil = `[core]\n\tfsmonitor = "touch ${canary}; false"\n[extensions]\n\tworktreeConfig = true\n`;
  writeFileSync(join(cwd, 'evil'), evil);
  const script = `${attack} 2>&1; echo end`;
  expect((await run(script)).output).toContain('end');
  expect(isDeceived(cwd, canary)).toBe(false);
  rmSync(join(cwd, 'other'), { recursive: true, force: true });
  execFileSync('bash', ['-c', script], { cwd });
  expect(isDeceived(cwd, canary)).toBe(true);
});

/** They try all the time, and die when the command has ended. As many as are needed to keep the processors busy at that time. */
const BACKGROUND = `for I in {1..20}; do setsid bash -c 'while :; do
  mkdir .claude && : > .claude/settings.json; echo /elsewhere > .git/commondir; done' >/dev/null 2>&1 & done`;

test('background processes cannot create protected files while the command ends', async () => {
  const { cwd, run } = createFixture();
  execFileSync('git', ['init', '-q', cwd]);
  for (let round = 0; round < 4; round++) await run(`${BACKGROUND}; sleep 0.05`);
  expect(readdirSync(cwd)).toEqual(['.git']);
  expect(existsSync(join(cwd, '.git/commondir'))).toBe(false);
});
