// Ordinary work succeeds in the sandbox, and `read-only` writes nothing. With the built program.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { becomeUnprivileged, createMachine, type Machine, startHost } from './sandboxed-program.ts';

function createRepository({ cwd }: Machine): void {
  execFileSync('git', ['init', '-q', '-b', 'main', cwd]);
  for (const [key, value] of [
    ['user.name', 'A'],
    ['user.email', 'a@example.com'],
  ])
    execFileSync('git', ['-C', cwd, 'config', String(key), String(value)]);
}

/** In the private /tmp of the session. The real /tmp must not have it. */
const SHARED = `shared-${process.pid}`;

/** Each must succeed, in this order. */
const WORK = [
  'git status --short',
  'echo one > a.txt && git add a.txt && git commit -qm first',
  'git branch topic && git checkout -q topic && echo two >> a.txt && git commit -qam second',
  'git checkout -q main && git merge -q topic && git log --oneline | wc -l | grep -qx 2',
  'echo three >> a.txt && git stash -q && git stash pop -q && git diff --quiet; [ $? = 1 ]',
  'git tag v1 && git rebase -q topic --autostash && git gc -q && git fsck',
  `node -e 'require("fs").writeFileSync("out.txt", "x".repeat(1e6))' && [ "$(wc -c < out.txt)" = 1000000 ]`,
  'npm run -s hello --offline | grep -qx hello',
  'seq 10000 | sort -rn | head -n 1 | grep -qx 10000; echo discarded > /dev/null; head -c 16 /dev/urandom | wc -c | grep -qx 16',
  'mkdir -p x/y && mv x z && cp -r z w && rm -r z w && ln -s a.txt link && chmod +x a.txt && touch -d 2001-01-01 a.txt',
  'f=$(mktemp) && echo x > "$f" && rm "$f" && [ "$TMPDIR" = /tmp ] && cat <<< here > /dev/null && echo "$(< a.txt)" > /dev/null',
  `echo shared > /tmp/${SHARED}`,
  `grep -qx shared /tmp/${SHARED} && [ "$(ls /tmp)" = ${SHARED} ]`,
  '(sleep 0.01; echo late) | grep -q late; ps -o pid= -p $$ > /dev/null; id -un > /dev/null; [ "$PWD" = "$(pwd -P)" ]',
];

describe.each(['root or the user of the tests', 'unprivileged'])('%s', (user) => {
  const open = (machine: Machine, args: readonly string[] = []) =>
    startHost(machine, args, { prefix: user === 'unprivileged' ? becomeUnprivileged(machine) : [] });

  test('ordinary work succeeds with workspace-write', async () => {
    const machine = createMachine();
    createRepository(machine);
    writeFileSync(join(machine.cwd, 'package.json'), '{"scripts":{"hello":"echo hello"}}');
    const host = open(machine);
    for (const command of WORK) {
      const { exitCode, output } = await host.run(command);
      expect({ command, exitCode, output }).toMatchObject({ exitCode: 0 });
    }
    expect(readFileSync(join(machine.cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
    expect(existsSync(`/tmp/${SHARED}`)).toBe(false);
  });

  test('nothing is written outside the workspace, and with read-only nothing in it', async () => {
    const machine = createMachine({ 'notes.txt': 'notes\n', 'work/a.txt': 'a\n' });
    createRepository(machine);
    const outside = [
      '"$HOME"',
      '/var/tmp',
      '/usr',
      '/etc',
      '/',
      '/dev/shm/..',
      '/proc/sys/kernel',
      '/sys',
      '/run',
      '/opt',
    ];
    const attempts = outside.map((path) => `touch ${path}/parley-canary 2>/dev/null && echo wrote ${path}`);
    const change = 'echo x >> "$HOME/notes.txt"; rm -f "$HOME/notes.txt"; mv "$HOME/notes.txt" .';
    const writable = open(machine);
    expect((await writable.run(`${attempts.join('\n')}\n${change}\ntrue`)).output).not.toMatch(
      /wrote (?!\/run$|\/dev)/m,
    );
    // Removes the placeholders of protected names.
    await writable.close();
    const before = listTree(machine.base);
    const readOnly = open(machine, ['--sandbox', 'read-only']);
    const inside =
      'touch b; rm -rf a.txt .git; echo x > a.txt; mkdir c; git commit --allow-empty -qm x; ln a.txt d; chmod 0 a.txt';
    expect((await readOnly.run(`${inside}; ${change}; echo x > /tmp/x && cat /tmp/x`)).output).toMatch(/x\n$/);
    await readOnly.close();
    expect(listTree(machine.base)).toBe(before);
    expect(readFileSync(join(machine.home, 'notes.txt'), 'utf8')).toBe('notes\n');
  });
});

/** Names, modes and contents, without what the program itself writes. */
function listTree(base: string): string {
  const script = `find work notes.txt -printf '%p %m %s\\n' | sort; find work notes.txt -type f -exec cksum {} + | sort`;
  return execFileSync('bash', ['-c', script], { cwd: join(base, 'home'), encoding: 'utf8' });
}
