// Many ways to change a protected file or to create a missing one. Afterwards every file must be what it was before.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { PROTECTED_NAMES } from '../../src/support/protected-paths.ts';
import { createFixture } from './run-sandboxed.ts';
import { becomeUnprivileged, createMachine, startHost } from './sandboxed-program.ts';

const GIT_NAMES = ['.git/hooks', '.git/config', '.git/config.worktree', '.git/commondir'];
const NAMES = [...PROTECTED_NAMES, ...GIT_NAMES];
/** A directory, files, and files of git. */
const SAMPLES = ['.parley', '.mcp.json', '.bashrc', '.git/hooks', '.git/config', '.git/commondir'];

/** `$P` is the path of the protected file or directory. */
const ATTACKS = [
  'echo MARK > "$P"',
  'echo MARK >> "$P"',
  'echo MARK > "$P/x"',
  'rm -rf "$P"; echo MARK > "$P"',
  'rm -rf "$P"; mkdir -p "$P"; echo MARK > "$P/x"',
  'mv "$P" "$P.old"; echo MARK > "$P"',
  'echo MARK > new; mv -f new "$P"',
  'mkdir new; echo MARK > new/x; mv -T new "$P"',
  'ln -s /etc/passwd "$P"',
  'ln -sfn "$PWD/src" "$P"',
  'ln "$P" hard && echo MARK >> hard',
  'echo MARK > new; ln -f new "$P"',
  'cp new "$P"; cp --remove-destination /etc/hostname "$P"',
  'mv .git git2; mkdir .git; cp -r git2/. .git/; echo MARK > "$P"',
  'mv .git .git.tmp; ln -s .git.tmp .git; echo MARK > "$P"',
  'cd ..; mv work work2; mkdir work; echo MARK > "work/x"',
  'chmod -R 777 "$P"; chattr -i "$P"; touch -d 2001-01-01 "$P"; truncate -s 0 "$P"',
  'exec 3<"$P"; echo MARK > /proc/self/fd/3',
  'exec 3<.; echo MARK > "/proc/self/fd/3/$N"',
  'echo MARK > "/proc/1/root$PWD/$N"; echo MARK > "/proc/self/cwd/$N"; echo MARK > "/proc/1/cwd/$N"',
  'umount "$P"; umount -l "$P"; mount -o remount,rw "$P"; mount --bind src "$P"; echo MARK > "$P"',
  'unshare -Urm sh -c "umount $P; mount -o remount,rw,bind $P; echo MARK > $P"',
  'unshare -Ur sh -c "echo MARK > $P"; nsenter -t 1 -m sh -c "echo MARK > $P"',
  'chroot . sh -c "echo MARK > /$N"',
  'sudo -n sh -c "echo MARK > $P"; su -c "echo MARK > $P"; pkexec sh -c "echo MARK > $P"',
  'dd if=/dev/zero of="$P" bs=1 count=1 conv=notrunc; tee "$P" <<< MARK; install -D /etc/hostname "$P"',
  'sed -i s/a/MARK/ "$P"; perl -pi -e "s/a/MARK/" "$P"; rsync /etc/hostname "$P"; tar -cf t.tar src; tar -xf t.tar --transform "s,src,$N,"',
  '(setsid sh -c "while true; do echo MARK > $P; done" >/dev/null 2>&1 &); for i in 1 2 3; do mv "$P" x$i; done',
];

const GIT_ATTACKS = [
  'git config core.hooksPath /tmp/x',
  'git config --worktree core.fsmonitor touch',
  'git config -f .git/config core.fsmonitor evil',
  'git init --template=/tmp/t . ; git init --separate-git-dir=/tmp/g .',
  'git remote add x https://example.com',
  'rm -rf .git; git init .',
  'git worktree add ../w; git worktree add w -b other; cp -f /etc/hostname .git/hooks/pre-commit',
  'git submodule add ./ sub; printf x > .git/config.lock; mv .git/config.lock .git/config',
];

function snapshot(cwd: string): Record<string, string> {
  return Object.fromEntries(NAMES.map((name) => [name, describePath(join(cwd, name))]));
}

function describePath(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return 'absent';
  if (stat.isSymbolicLink()) return 'link';
  const mode = stat.mode.toString(8);
  if (!stat.isDirectory()) return `file ${mode} ${readFileSync(path, 'utf8')}`;
  const entries = readdirSync(path).sort();
  return `directory ${mode} ${entries.map((name) => `${name}: ${describePath(join(path, name))}`).join('; ')}`;
}

function createRepository(cwd: string): void {
  execFileSync('git', ['init', '-q', cwd]);
  mkdirSync(join(cwd, 'src'));
}

describe.each(['missing', 'existing'])('%s protected files', (state) => {
  test.each(NAMES)('%s', async (name) => {
    const { cwd, run } = createFixture();
    createRepository(cwd);
    if (state === 'existing') createProtected(cwd);
    const before = snapshot(cwd);
    const { output } = await run(buildAttackScript(name));
    expect(output).toContain('finished');
    expect(snapshot(cwd)).toEqual(before);
  });

  /** Root passes many checks of the system that other users do not pass, and the other way round. */
  test('as an unprivileged user', async () => {
    const machine = createMachine();
    createRepository(machine.cwd);
    if (state === 'existing') createProtected(machine.cwd);
    const { run } = startHost(machine, [], { prefix: becomeUnprivileged(machine) });
    const before = snapshot(machine.cwd);
    for (const name of SAMPLES) {
      expect((await run(buildAttackScript(name))).output).toContain('finished');
      // Placeholders are kept for a second.
      await vi.waitFor(() => expect(snapshot(machine.cwd)).toEqual(before), { timeout: 20_000 });
      for (const left of readdirSync(machine.cwd).filter((other) => !other.startsWith('.')))
        rmSync(join(machine.cwd, left), { recursive: true });
    }
  });
});

function createProtected(cwd: string): void {
  for (const name of PROTECTED_NAMES) {
    if (/\.json$|rc$|profile$|env$|log(in|out)$/.test(name)) writeFileSync(join(cwd, name), 'a\n');
    else mkdirSync(join(cwd, name));
  }
}

function buildAttackScript(name: string): string {
  const quoted = ATTACKS.map((attack) => `timeout 5 bash -c '${attack.replaceAll("'", `'\\''`)}'`);
  return `export N='${name}' P="$PWD/${name}"\nmkdir -p src\n${quoted.join('\n')}\necho finished`;
}

test.each(GIT_ATTACKS)('%s', async (attack) => {
  const { cwd, run } = createFixture();
  createRepository(cwd);
  const before = snapshot(cwd);
  await run(attack);
  expect(snapshot(cwd)).toEqual(before);
});
