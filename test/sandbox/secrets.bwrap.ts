// Files, variables and sockets that commands in the sandbox must not see, and many ways to read them.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SECRET_HOME_PATHS } from '../../src/support/protected-paths.ts';
import { becomeUnprivileged, createMachine, type Machine, startHost } from './sandboxed-program.ts';

/** Written here again, so that a name that is removed from the list is noticed. */
const IMPORTANT_PATHS = [
  ...[
    '.parley/auth.json',
    '.parley/models.json',
    '.parley/serve/token',
    '.parley/sessions/a.jsonl',
    '.pi/agent/auth.json',
    '.omp/agent/auth.json',
  ],
  ...[
    '.ssh/id_ed25519',
    '.gnupg/private-keys-v1.d/a.key',
    '.password-store/a.gpg',
    '.local/share/keyrings/login.keyring',
  ],
  ...['.aws/credentials', '.azure/token.json', '.kube/config', '.config/gcloud/credentials.db', '.docker/config.json'],
  ...['.netrc', '.git-credentials', '.config/git/credentials', '.config/gh/hosts.yml', '.npmrc', '.pypirc', '.pgpass'],
  ...['.cargo/credentials.toml', '.bash_history', '.zsh_history', '.codex/auth.json', '.claude/.credentials.json'],
  ...['.mozilla/firefox/a/cookies.sqlite', '.config/google-chrome/Default/Cookies', '.config/chromium/Default/Cookies'],
  ...['.config/BraveSoftware/x', '.config/Signal/config.json', '.vault-token', '.terraform.d/credentials.tfrc.json'],
];
/** Tried in every way. Directories and files. */
const SAMPLES = ['.parley', '.ssh', '.netrc', '.config/gcloud', '.bash_history'];
const MARK = 'canary-7d1f';
const ORDINARY = 'ordinary-7d1f';

/** `$P` is a file or a directory. The control checks that each way reads an ordinary file, unless it never can. */
const WAYS: readonly (readonly [name: string, script: string, neverWorks?: true])[] = [
  ['cat', 'cat "$P" "$P"/* "$P"/*/*'],
  ['cp', 'rm -rf copy; cp -r "$P" copy; grep -rh . copy'],
  ['symbolic link', 'ln -sfn "$P" link; cat link link/*'],
  ['hard link', 'ln -f "$P" hard || ln -f "$P"/* hard; cat hard', true],
  ['rename', 'mv "$P" moved; cat moved moved/*', true],
  ['tar', 'tar -cf - "$P"'],
  ['dd', 'dd status=none if="$P"; dd status=none if="$P/canary"'],
  ['root of process 1', 'cat "/proc/1/root$P" "/proc/1/root$P"/*'],
  ['root of the process', 'cat "/proc/self/root$P" "/proc/self/root$P"/* "/proc/thread-self/root$P"'],
  ['working directory', 'cat "/proc/self/cwd/../../$R" "/proc/self/cwd/../../$R"/*'],
  ['open directory', 'exec 3<"$HOME"; cat "/proc/self/fd/3/$R" "/proc/self/fd/3/$R"/*'],
  ['git', 'git diff --no-index /dev/null "$P"; for F in "$P" "$P"/*; do git show "$(git hash-object -w "$F")"; done'],
  ['umount', 'umount "$P"; umount -l "$P"; cat "$P" "$P"/*'],
  ['mount', 'mkdir -p m; mount --bind "$HOME" m; mount --rbind / m; cat "m/$R" "m$P" "m$P"/*', true],
  ['user namespace', 'unshare -Urm sh -c "umount $P; umount -l $P; mount --bind $HOME /mnt; cat $P $P/*"', true],
  ['other namespaces', 'nsenter -t 1 -m -U cat "$P"; chroot /proc/1/root cat "$P"', true],
  ['overlay', 'mkdir -p u w o; mount -t overlay overlay -o "lowerdir=$HOME,upperdir=u,workdir=w" o; cat "o/$R"', true],
  ['privileges', 'sudo -n cat "$P"; su -c "cat $P"; pkexec cat "$P"', true],
];

interface Entry {
  readonly path: string;
  /** As the path of a file or as that of a directory with a file. */
  readonly kind: 'file' | 'directory';
}

function writeEntry({ home }: Machine, { path, kind }: Entry, text: string): string {
  const target = join(home, path, kind === 'file' ? '' : 'canary').replace(/\/$/, '');
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `${text}\n`);
  return join(home, path);
}

/** Each way in one command, with all paths. Returns the names of the ways whose output contains the text. */
async function tryWays(host: ReturnType<typeof startHost>, text: string): Promise<string[]> {
  const script = WAYS.map(([name, way]) => {
    const quoted = `'${way.replaceAll("'", `'\\''`)}'`;
    const filter = `grep -aoh -e '${text.replace('-', '[-]')}' | head -n 1`;
    return `echo "=== ${name}"; while IFS= read -r P; do export P R="\${P#$HOME/}"; timeout 10 bash -c ${quoted} </dev/null 2>/dev/null | ${filter}; done < paths.txt`;
  });
  // A repository of the command itself, because the workspace is none.
  const prepare = 'mkdir repository; git init -q repository; cd repository; cp ../paths.txt .';
  const { output } = await host.run(`${prepare}\n${script.join('\n')}\necho "=== end"`);
  expect(output).toContain('=== end');
  const parts = output.split('=== ').slice(1);
  return parts.filter((part) => part.includes(text)).map((part) => part.split('\n')[0] ?? '');
}

describe.each(['as root or the user of the tests', 'unprivileged'])('%s', (user) => {
  const open = (machine: Machine, env: Record<string, string> = {}, args: readonly string[] = []) =>
    startHost(machine, args, { env, prefix: user === 'unprivileged' ? becomeUnprivileged(machine) : [] });

  test('secrets in the home directory', async () => {
    const machine = createMachine(Object.fromEntries(IMPORTANT_PATHS.map((path) => [path, MARK])));
    const paths = SAMPLES.map((path) => join(machine.home, path));
    writeFileSync(join(machine.cwd, 'paths.txt'), `${paths.join('\n')}\n`);
    expect(await tryWays(open(machine), MARK)).toEqual([]);
  });

  test('the same ways read ordinary files', async () => {
    const machine = createMachine();
    const paths = [
      writeEntry(machine, { path: 'notes', kind: 'file' }, ORDINARY),
      writeEntry(machine, { path: 'documents', kind: 'directory' }, ORDINARY),
    ];
    writeFileSync(join(machine.cwd, 'paths.txt'), `${paths.join('\n')}\n`);
    const working = WAYS.filter(([, , neverWorks]) => !neverWorks).map(([name]) => name);
    expect(await tryWays(open(machine), ORDINARY)).toEqual(expect.arrayContaining(working));
  });

  test.each(['file', 'directory'] as const)('searching finds no secret: each path as %s', async (kind) => {
    const machine = createMachine(Object.fromEntries(IMPORTANT_PATHS.map((path) => [path, MARK])));
    const listed = SECRET_HOME_PATHS.filter(
      (path) => path !== '.boto' && !IMPORTANT_PATHS.some((other) => other.startsWith(path)),
    );
    expect(listed.length).toBeGreaterThan(100);
    for (const path of listed) writeEntry(machine, { path, kind }, MARK);
    mkdirSync(join(machine.home, 'dotfiles'));
    for (const name of ['config', 'token']) writeFileSync(join(machine.home, 'dotfiles', name), MARK);
    // A secret behind a link is hidden where it is.
    symlinkSync('../dotfiles/config', join(machine.home, '.ssh/config'));
    symlinkSync('dotfiles/token', join(machine.home, '.boto'));
    writeFileSync(join(machine.home, 'denied'), MARK);
    const host = open(machine, {}, ['--set', 'sandbox.deniedReads=["~/denied"]']);
    const { output } = await host.run(
      `find ${machine.base} -type f -exec grep -l '${MARK.replace('-', '[-]')}' {} +; find ${machine.base} -name 'id_*'; echo end`,
    );
    expect(output).toBe('end\n');
  });

  test('variables', async () => {
    const machine = createMachine();
    const names = [
      ...['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
      ...['GITHUB_TOKEN', 'GH_TOKEN', 'GITLAB_PAT', 'NPM_TOKEN', 'MYSQL_PWD', 'PGPASSWORD', 'SENTRY_DSN', 'LDAP_PW'],
      ...[
        'SSH_AUTH_SOCK',
        'DBUS_SESSION_BUS_ADDRESS',
        'DOCKER_HOST',
        'XDG_RUNTIME_DIR',
        'KUBECONFIG',
        'GPG_AGENT_INFO',
      ],
      ...['SLACK_WEBHOOK_URL', 'SESSION_COOKIE', 'VAULT_ADDR', 'SOME_CONNECTION_STRING', 'PARLEY_MODEL_TOKEN'],
    ];
    const env = {
      ...Object.fromEntries(names.map((name) => [name, MARK])),
      DATABASE_URL: `postgres://user:${MARK}@localhost/x`,
      REMOTE: `https://${MARK}-and-more-text@example.com/x`,
      STORE: `Server=x;Password=${MARK}`,
      PLAIN: `ghp_${MARK}`,
      ORDINARY,
    };
    const { output } = await open(machine, env).run(
      'env; printenv; export -p; cat /proc/*/environ /proc/*/task/*/environ | tr "\\0" "\\n"; ps auxeww; node -p process.env',
    );
    expect(output).toContain(ORDINARY);
    expect(output.split('\n').filter((line) => line.includes(MARK))).toEqual([]);
  });

  test('sockets of other processes', async () => {
    const machine = createMachine();
    const runtime = join(machine.base, 'runtime');
    const hidden = mkdtempIn('/tmp');
    for (const path of [runtime, join(machine.home, 'data')]) mkdirSync(path);
    const paths = [
      join(hidden, 's'),
      join(runtime, 'bus'),
      join(machine.home, 'data/s'),
      join(machine.home, 's'),
      join(machine.cwd, 's'),
    ];
    const arrived: string[] = [];
    for (const path of paths) await listen(path, () => arrived.push(path));
    for (const path of paths) await reach(path);
    expect(arrived.splice(0)).toEqual(paths);
    const host = open(machine, { XDG_RUNTIME_DIR: runtime });
    const { output } = await host.run(
      paths
        .flatMap((path) => [
          `node -e 'require("net").connect("${path}").on("error",()=>process.exit(1)).end("x")'`,
          `python3 -c 'import socket;socket.socket(socket.AF_UNIX).connect("${path}")'`,
          `timeout 5 socat - "UNIX-CONNECT:${path}" </dev/null; timeout 5 socat - "UNIX-CONNECT:/proc/1/root${path}" </dev/null`,
          `curl -sS -m 5 --unix-socket "${path}" http://localhost/; mv "${path}" moved; curl -m 5 --unix-socket moved http://localhost/`,
        ])
        .join('\n')
        .concat('\necho end'),
    );
    expect(output).toMatch(/end\n$/);
    expect(arrived).toEqual([]);
  });
});

function mkdtempIn(parent: string): string {
  const directory = mkdtempSync(join(parent, 'parley-canary-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Every user may connect. */
async function listen(path: string, onConnection: () => void): Promise<void> {
  const server = createServer((socket) => {
    onConnection();
    socket.on('error', () => {}).end();
  });
  await new Promise<void>((resolve) => server.listen({ path, readableAll: true, writableAll: true }, resolve));
  onTestFinished(() => void server.close());
}

async function reach(path: string): Promise<void> {
  await new Promise((resolve, reject) => connect(path).on('error', reject).on('close', resolve).resume());
}
