// Decisions about tool calls, one row each.
import { describe, expect, test } from 'vitest';
import { type Case, check, decide } from './decide.ts';

type Row = readonly [expected: 'allow' | 'ask' | 'deny', rules: Case, ...subjects: readonly string[]];

function testCommands(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    const cases = rows.flatMap(([expected, rules, ...commands]) =>
      commands.map((command) => [command, expected, rules] as const),
    );
    test.each(cases)('%s → %s %j', async (command, expected, rules) => {
      expect(await decide({ ...rules, command })).toBe(expected);
    });
  });
}

function testPaths(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    const cases = rows.flatMap(([expected, rules, ...paths]) => paths.map((path) => [path, expected, rules] as const));
    test.each(cases)('%s → %s %j', async (path, expected, rules) => {
      expect(await decide({ ...rules, path })).toBe(expected);
    });
  });
}

testCommands('commands that a rule allows', [
  ['allow', { allow: ['bash(git status)'] }, 'git status', '  git   status ', '\'git\' "status"', 'g\\it status'],
  [
    'ask',
    { allow: ['bash(git status)'] },
    'git status -s',
    'git',
    'git push',
    'Git status',
    'git STATUS',
    './git status',
  ],
  ['allow', { allow: ['bash(git status *)'] }, 'git status', 'git status -s', 'git status a b', 'git status $x "$y"'],
  [
    'ask',
    { allow: ['bash(git status *)'] },
    'git status; rm x',
    'git status $(rm x)',
    'git status `rm x`',
    'git status && rm x',
  ],
  [
    'ask',
    { allow: ['bash(git status *)'] },
    'git status | tee x',
    'git status > x',
    'git status & rm x',
    'git $x',
    '$x status',
  ],
  [
    'allow',
    { allow: ['bash(git status)', 'bash(npm test)'] },
    'git status && npm test',
    'git status; npm test',
    'git status | npm test',
  ],
  [
    'allow',
    { allow: ['bash(npm run test:*)'] },
    'npm run test',
    'npm run test -- -x',
    'npm run test:unit',
    'npm run test:unit -u',
  ],
  ['ask', { allow: ['bash(npm run test:*)'] }, 'npm run testing', 'npm run', 'npm run build'],
  ['allow', { allow: ['Bash(ls:*)'] }, 'ls', 'ls -la src'],
  ['allow', { allow: ['bash(git log --*)'] }, 'git log --oneline'],
  ['ask', { allow: ['bash(cat src/*)'] }, 'cat src/../../../etc/passwd', 'cat src/..', 'cat /etc/passwd', 'cat src/$x'],
  ['allow', { allow: ['bash(cat src/*)'] }, 'cat src/a.ts', 'cat src/a/b.ts'],
  ['allow', { allow: ['bash(* --version)'] }, 'node --version', 'npm --version'],
  ['ask', { allow: ['bash(* --version)'] }, './scripts/build.sh --version', 'unknown-program --version'],
  ['allow', { allow: ['bash'] }, 'rm -rf x', 'eval "$x"', 'ls > file'],
  ['allow', { allow: ['bash(*)'] }, 'rm -rf x', 'unknown-program'],
  ['allow', { allow: ['bash(echo "a b")'] }, "echo 'a b'", 'echo a\\ b'],
  ['ask', { allow: ['bash(echo "a b")'] }, 'echo a b'],
  ['ask', { allow: ["bash(echo '*')"] }, 'echo x'],
  ['ask', { allow: ['bash(cp * backup)'] }, 'cp $x backup', 'cp a b backup'],
  ['allow', { allow: ['bash(cp * backup)'] }, 'cp a backup', 'cp "$x" backup'],
]);

testCommands('programs in directories that tools can write to', [
  ['ask', { allow: ['bash(vitest *)'] }, 'node_modules/.bin/vitest', 'vitest', './node_modules/.bin/vitest run'],
  ['ask', { allow: ['bash(vitest *)'], pathVariable: '/srv/project/node_modules/.bin:/usr/bin' }, 'vitest'],
  ['ask', { allow: ['bash(tool *)'], pathVariable: '/roots/extra/bin' }, 'tool', '/roots/extra/bin/tool'],
  ['ask', { allow: ['bash(ls *)'], pathVariable: '.:/usr/bin' }, 'ls'],
  ['ask', { allow: ['bash(ls *)'], pathVariable: '/usr/bin:' }, 'ls'],
  ['ask', { allow: ['bash(ls *)'], pathVariable: '' }, 'ls'],
  ['allow', { allow: ['bash(ls *)'] }, 'ls', '/usr/bin/ls', '/bin/ls -l'],
  ['ask', { allow: ['bash(ls *)'] }, '/opt/tools/ls', './ls', '/tmp/ls'],
  [
    'allow',
    { allow: ['bash(node_modules/.bin/vitest *)'] },
    'node_modules/.bin/vitest run',
    './node_modules/.bin/vitest',
  ],
  [
    'allow',
    { allow: ['bash(./scripts/*)'] },
    './scripts/build.sh',
    'scripts/build.sh',
    '/srv/project/scripts/build.sh',
  ],
  ['ask', { allow: ['bash(./scripts/*)'] }, './scripts/../evil.sh', '/tmp/scripts/build.sh', 'scripts/../../x'],
  ['ask', { allow: ['bash(./scripts/*)', 'bash(cd *)'] }, 'cd /tmp && ./scripts/build.sh'],
  ['ask', { allow: ['bash(cat src/*)', 'bash(cd *)'] }, 'cd /etc && cat src/a', '(cd sub; cat src/a)'],
  [
    'allow',
    { allow: ['bash(cat src/*)', 'bash(cat /opt/*)', 'bash(cd *)'] },
    'cd . && cat src/a',
    'cd /etc && cat /opt/a',
  ],
  ['allow', { allow: ['bash(cat src/a)', 'bash(npm run *)', 'bash(cd *)'] }, 'cd sub && cat src/a && npm run a/b'],
  [
    'allow',
    { allow: ['bash(./scripts/*)', 'bash(cd *)'] },
    'cd /srv/project && ./scripts/build.sh',
    'cd . && ./scripts/build.sh',
  ],
]);

testCommands('variables', [
  ['allow', { allow: ['bash(npm test)'] }, 'CI=1 npm test', 'NODE_ENV=test FORCE_COLOR=0 npm test'],
  [
    'ask',
    { allow: ['bash(npm test)'] },
    'NODE_OPTIONS=--require=x npm test',
    'PATH=/tmp npm test',
    'FOO=1 npm test',
    'FOO=1; npm test',
  ],
  ['allow', { allow: ['bash(FOO=* npm test)'] }, 'FOO=1 npm test'],
  ['ask', { allow: ['bash(FOO=* npm test)'] }, 'BAR=1 npm test', 'npm test', 'FOO=1 BAR=1 npm test'],
]);

testCommands('commands that a rule denies, in the mode full', [
  [
    'deny',
    { policy: 'never', deny: ['bash(git push)'] },
    'git push',
    'git push --force',
    '/usr/bin/git push',
    'ls && git push',
    'echo $(git push)',
  ],
  [
    'deny',
    { policy: 'never', deny: ['bash(git push *)'] },
    'git push',
    '\\git push',
    "'git' p'us'h",
    'command git push',
    'env git push',
    'GIT push',
  ],
  [
    'ask',
    { policy: 'never', deny: ['bash(git push)'] },
    'git -C x push',
    'git -c a=b push',
    'git $x',
    '$x push',
    'git "$x"',
    '$(echo git) push',
  ],
  [
    'allow',
    { policy: 'never', deny: ['bash(git push)'] },
    'git status',
    'git stash push',
    'git commit -m push',
    'ls push',
    'git log $x',
  ],
  [
    'deny',
    { policy: 'never', deny: ['bash(rm *)'] },
    'rm x',
    './rm x',
    '/bin/rm x',
    'sh -c "rm x"',
    'xargs rm',
    'sudo rm x',
    '(rm x)',
    'if true; then rm x; fi',
  ],
  [
    'ask',
    { policy: 'never', deny: ['bash(rm *)'] },
    'remove x',
    '/opt/tools/remove x',
    'python3 -c "import os; os.system(\'rm x\')"',
    'eval "$x"',
  ],
  ['deny', { policy: 'never', deny: ['bash(rm -rf)'] }, 'rm -rf x', 'rm -rf'],
  [
    'ask',
    { policy: 'never', deny: ['bash(rm -rf)'] },
    'rm -fr x',
    'rm -r -f x',
    'rm --recursive --force x',
    'rm x -rf',
    'rm $x',
  ],
  ['allow', { policy: 'never', deny: ['bash(rm -rf)'] }, 'rm x', 'ls -rf'],
  ['ask', { policy: 'never', deny: ['bash(git push --force)'] }, 'git push -f', 'git push origin main --force'],
  [
    'deny',
    { policy: 'never', deny: ['bash(./scripts/build.sh)'] },
    './scripts/build.sh',
    'scripts/build.sh',
    'scripts/../scripts/build.sh x',
  ],
  ['ask', { policy: 'never', deny: ['bash(./scripts/build.sh)'] }, 'cd scripts && ./build.sh'],
  ['deny', { policy: 'never', deny: ['bash'] }, 'ls', 'git push'],
  ['deny', { policy: 'never', deny: ['*'] }, 'ls'],
  ['ask', { policy: 'never', ask: ['bash(git push)'] }, 'git push', 'ls; git push', 'git -C x push'],
  ['deny', { policy: 'never', deny: ['bash(cat /)'] }, 'cat /', 'cat //', 'cat /./'],
]);

testCommands('deny, then ask, then allow', [
  ['deny', { allow: ['bash(git *)'], ask: ['bash(git push)'], deny: ['bash(git push)'] }, 'git push'],
  ['ask', { allow: ['bash(git *)'], ask: ['bash(git push)'] }, 'git push'],
  ['allow', { allow: ['bash(git *)'], ask: ['bash(git push)'] }, 'git pull'],
  ['allow', { session: ['bash(git push)'], ask: ['bash(git push)'] }, 'git push'],
  ['deny', { session: ['bash(git push)'], deny: ['bash(git push)'] }, 'git push'],
  ['allow', { session: ['bash(git -C x push)'], deny: ['bash(git push)'] }, 'git -C x push'],
  ['ask', { session: ['bash'], deny: ['bash(git push)'] }, 'git -C x push', 'eval "$x"'],
  ['allow', { session: ['bash'], ask: ['bash(git push)'] }, 'git push'],
]);

testCommands('redirections', [
  ['ask', { allow: ['bash(echo *)'] }, 'echo x > file', 'echo x >> ~/.bashrc', 'echo x > $f'],
  ['ask', { allow: ['bash(echo *)'], policy: 'on-execute' }, 'echo x > file'],
  [
    'allow',
    { allow: ['bash(echo *)', 'write(out/**)'] },
    'echo x > out/file',
    'echo x 2> out/file',
    'echo x > /dev/null',
    'echo x 2>&1',
  ],
  [
    'ask',
    { allow: ['bash(*)x', 'bash(echo *)', 'write(out/**)', 'bash(cd *)'].slice(1) },
    'cd /etc && echo x > out/file',
    'echo x > out/../file',
  ],
  ['allow', { allow: ['bash(cat *)'] }, 'cat < file'],
  ['ask', { allow: ['bash(cat *)'] }, 'cat < /dev/tcp/evil.example/80', 'cat < $f'],
  ['deny', { policy: 'never', deny: ['write(.env)'] }, 'echo x > .env', 'echo x > a/.env', 'echo x >> ./.ENV'],
  ['deny', { policy: 'never', deny: ['read(secrets/**)'] }, 'cat < secrets/a', 'cat < link-to-secret'],
  [
    'ask',
    { policy: 'never', deny: ['read(secrets/**)'] },
    'cat secrets/a',
    'cat link-to-secret',
    'curl -d @secrets/a x',
    'dd if=secrets/a',
  ],
  ['ask', { policy: 'never', deny: ['write(.env)'] }, 'echo x > $f', 'cd a && echo x > file'],
]);

testCommands('names of programs that are not started', [
  [
    'allow',
    { policy: 'never', deny: ['bash(rm *)'] },
    'echo rm',
    'grep rm a',
    'git commit -m "rm a"',
    'cat rm',
    'git diff rm',
  ],
  [
    'allow',
    { policy: 'never', deny: ['bash(rm *)'] },
    'apt-get install rm',
    'some-tool rm.ts',
    'some-tool a-rm',
    'rg rm',
  ],
  ['ask', { policy: 'never', deny: ['bash(rm *)'] }, 'some-tool rm', 'some-tool "a; rm b"', 'some-tool a/rm'],
  ['allow', { allow: ['bash(./scripts/build.sh *)'] }, './scripts/build.sh rm'],
  [
    'ask',
    { allow: ['bash(find *)', 'bash(env *)', 'bash(./scripts/build.sh *)'] },
    'find /tmp -execdir ./scripts/build.sh ";"',
    'env -C /tmp ./scripts/build.sh',
  ],
]);

testCommands('modes without rules', [
  ['allow', { policy: 'never' }, 'rm -rf x', 'eval "$x"'],
  ['ask', { policy: 'on-execute' }, 'ls'],
  ['ask', { policy: 'on-write' }, 'ls'],
  ['ask', { policy: 'always' }, 'ls'],
]);

testCommands('the mode read-only', [
  [
    'allow',
    { policy: 'read-only' },
    'ls -la',
    'cat a | head -5',
    'rg x src',
    'find . -name x',
    'grep -r x . 2>/dev/null',
    'sed -n 1,5p a',
  ],
  [
    'allow',
    { policy: 'read-only' },
    'sort a | uniq',
    'base64 a | sha256sum',
    'wc -l < a',
    'date +%s',
    'env',
    'hostname',
    'cd src && ls',
    'echo "$HOME" *.ts',
    '[ -f a ]',
  ],
  [
    'deny',
    { policy: 'read-only' },
    'rm x',
    'git status',
    'ls > a',
    'find . -delete',
    'find . -exec rm x ;',
    'sort -o a b',
    'sort --outp=a b',
    'sort -uo a b',
  ],
  [
    'deny',
    { policy: 'read-only' },
    'rg --pre x y',
    'sed -i s/a/b/ x',
    'sed s/a/b/w x',
    'date -s x',
    'date 01010101',
    'hostname x',
    'file -C',
    'tree -o x',
    'uniq a b',
    'uniq - b',
    'uniq -- -a b',
    'xxd - b',
    'xxd -r a',
    "printf 'x%n' PATH; ls",
    "printf 'x%5n' PATH",
    'printf "$(cat a)" PATH',
    ": 'a[$(touch x)]'; echo $((_))",
  ],
  [
    'deny',
    { policy: 'read-only' },
    'less a',
    'env x',
    'sort $x',
    'find $x',
    './ls',
    'cat < /dev/tcp/h/1',
    'LD_PRELOAD=x ls',
    'FOO=x ls',
    '/tmp/ls',
    'curl x',
    'eval ls',
  ],
  ['deny', { policy: 'read-only', allow: ['bash'], session: ['bash(rm x)'] }, 'rm x'],
  ['deny', { policy: 'read-only', pathVariable: '.:/usr/bin' }, 'cat a'],
  ['deny', { policy: 'read-only', deny: ['bash(cat)'] }, 'cat a'],
  ['deny', { policy: 'read-only', ask: ['bash(cat)'] }, 'cat a'],
  ['deny', { policy: 'read-only', ask: ['bash(cat)'], isEscalated: true }, 'cat a'],
  ['deny', { policy: 'read-only', isEscalated: true }, 'cat a'],
]);

testPaths('files', [
  [
    'allow',
    { tool: 'edit', allow: ['edit(src/**)'] },
    'src/a.ts',
    'src/a/b.ts',
    './src/a.ts',
    '/srv/project/src/a.ts',
    'src/../src/a.ts',
  ],
  ['ask', { tool: 'edit', allow: ['edit(src/**)'] }, 'a.ts', 'src/../a.ts', '/etc/passwd', '../src/a.ts', 'SRC/a.ts'],
  ['allow', { tool: 'write', allow: ['Edit(src/**)'] }, 'src/a.ts'],
  ['allow', { tool: 'edit', allow: ['write(src/**)'] }, 'src/a.ts'],
  ['ask', { tool: 'edit', allow: ['read(src/**)'] }, 'src/a.ts'],
  ['allow', { tool: 'edit', allow: ['edit(*.md)'] }, 'a.md', 'docs/a.md'],
  ['ask', { tool: 'edit', allow: ['edit(*.md)'] }, '/etc/a.md', '../a.md', 'link-to-etc/a.md'],
  ['allow', { tool: 'edit', allow: ['edit(~/notes/**)'] }, '~/notes/a', '/home/me/notes/a'],
  ['allow', { tool: 'edit', allow: ['edit(/etc/**)'] }, '/etc/hosts', 'link-to-etc/hosts'],
  ['allow', { tool: 'edit', allow: ['edit(//etc/**)'] }, '/etc/hosts'],
  ['allow', { tool: 'grep', policy: 'always', allow: ['read(src/**)'] }, 'src', 'src/a.ts'],
  ['ask', { tool: 'grep', policy: 'always', allow: ['read(src/**)'] }, '.', 'secrets'],
  [
    'deny',
    { tool: 'read', policy: 'never', deny: ['read(.env)'] },
    '.env',
    'a/.env',
    '.ENV',
    '/other/.env',
    '@.env',
    './x/../.env',
    '.env/child',
  ],
  ['allow', { tool: 'read', policy: 'never', deny: ['read(./.env)'] }, 'a/.env', '.environment'],
  [
    'deny',
    { tool: 'read', policy: 'never', deny: ['read(secrets/**)'] },
    'secrets/a',
    'Secrets/a',
    'link-to-secret',
    'secrets',
    'src/../secrets/a',
  ],
  ['deny', { tool: 'read', policy: 'never', deny: ['read(secrets)'] }, 'secrets/a/b', 'secrets'],
  ['deny', { tool: 'read', policy: 'never', deny: ['read(link-to-etc/**)'] }, 'link-to-etc/passwd'],
  [
    'deny',
    { tool: 'read', policy: 'never', deny: ['read(/etc/**)'] },
    'link-to-etc/passwd',
    '/etc/passwd',
    '../../etc/passwd',
  ],
  ['deny', { tool: 'read', policy: 'never', deny: ['read(caf\u00e9)'] }, 'cafe\u0301', 'CAFE\u0301'],
  ['deny', { tool: 'edit', policy: 'never', deny: ['read(.env)'] }, '.env'],
  ['deny', { tool: 'write', policy: 'never', deny: ['edit(.env)'] }, '.env'],
  ['allow', { tool: 'read', policy: 'never', deny: ['edit(.env)'] }, '.env'],
  ['ask', { tool: 'grep', policy: 'never', deny: ['read(secrets/**)'] }, '.', '/'],
  ['allow', { tool: 'grep', policy: 'never', deny: ['read(secrets/**)'] }, 'src', 'a.ts'],
  ['allow', { tool: 'ls', policy: 'never', deny: ['read(secrets/**)'] }, '.'],
  ['deny', { tool: 'ls', policy: 'never', deny: ['read(secrets/**)'] }, 'secrets'],
  ['deny', { tool: 'edit', policy: 'read-only', allow: ['edit'] }, 'a'],
  ['allow', { tool: 'read', policy: 'read-only' }, 'a'],
  ['allow', { tool: 'edit', policy: 'on-execute' }, 'a'],
  ['ask', { tool: 'edit', policy: 'on-write' }, 'a'],
  ['ask', { tool: 'read', policy: 'always' }, 'a'],
]);

describe('hosts and tools without subjects', () => {
  const fetch = { tool: 'mcp__web__fetch' };
  test.each<readonly [string, 'allow' | 'ask' | 'deny', Case]>([
    ['https://example.com/x', 'allow', { allow: ['mcp__web__fetch(example.com)'] }],
    ['https://user:p@EXAMPLE.com.:443/', 'allow', { allow: ['mcp__web__fetch(example.com)'] }],
    ['https://example.com.evil.net/', 'ask', { allow: ['mcp__web__fetch(example.com)'] }],
    ['https://example.com@evil.net/', 'ask', { allow: ['mcp__web__fetch(example.com)'] }],
    ['https://a.example.com/', 'allow', { allow: ['mcp__web__*(*.example.com)'] }],
    ['https://example.com/', 'ask', { allow: ['mcp__web__*(*.example.com)'] }],
    ['https://b\u00fccher.example/', 'allow', { allow: ['mcp__web__fetch(domain:xn--bcher-kva.example)'] }],
    ['http://localhost:8080/', 'allow', { allow: ['mcp__web__fetch(localhost:8080)'] }],
    ['http://localhost:8081/', 'ask', { allow: ['mcp__web__fetch(localhost:8080)'] }],
    ['http://[::1]:80/', 'allow', { allow: ['mcp__web__fetch([::1])'] }],
    ['http://0x7f.1/', 'deny', { policy: 'never', deny: ['mcp__web__fetch(127.0.0.1)'] }],
    ['not a url', 'ask', { policy: 'never', deny: ['mcp__web__fetch(example.com)'] }],
    ['https://other.net', 'allow', { policy: 'never', deny: ['mcp__web__fetch(example.com)'] }],
  ])('%s → %s', async (url, expected, rules) => {
    expect(await decide({ ...fetch, ...rules, url })).toBe(expected);
    expect(await decide({ ...fetch, ...rules, input: { url } })).toBe(expected);
    expect(await decide({ ...fetch, ...rules, input: { urls: ['https://example.com', url] } })).toBe(
      await decide({ ...fetch, ...rules, input: { urls: [url, 'https://example.com'] } }),
    );
  });

  test.each<readonly ['allow' | 'ask' | 'deny', Case]>([
    ['allow', { tool: 'mcp__db__query', allow: ['mcp__db__*'] }],
    ['ask', { tool: 'mcp__db__query', allow: ['mcp__other__*'] }],
    ['deny', { tool: 'mcp__db__query', allow: ['mcp__db__*'], deny: ['mcp__db__query'] }],
    ['ask', { tool: 'mcp__db__query', policy: 'never', deny: ['mcp__db__query(x)'] }],
    ['ask', { tool: 'mcp__db__query', allow: ['mcp__db__query(x)'] }],
    ['ask', { tool: 'task', command: 'npm test', allow: ['bash(npm test)'] }],
    ['deny', { tool: 'task', command: 'ls', policy: 'read-only' }],
    ['deny', { tool: 'task', command: 'git push', policy: 'never', deny: ['bash(git push)'] }],
    ['ask', { command: 'ls', policy: 'never', isEscalated: true }],
    ['ask', { command: 'ls', allow: ['bash'], isEscalated: true }],
    ['ask', { command: 'ls', session: ['bash(ls)'], isEscalated: true }],
    ['deny', { command: 'ls', deny: ['bash(ls)'], isEscalated: true }],
  ])('%s %j', async (expected, one) => {
    expect(await decide(one)).toBe(expected);
  });
});

test('the result names the rule, its scope and every part', async () => {
  const result = await check({ command: 'ls && git push -u', allow: ['bash(ls)'], deny: ['bash(git push)'] });
  expect(result).toEqual({
    decision: 'deny',
    rule: 'bash(git push)',
    scope: 'user',
    reason: 'the rule bash(git push) (user) denies it',
    parts: [
      { text: 'ls', decision: 'allow', rule: 'bash(ls)', scope: 'user', reason: 'the rule bash(ls) (user) allows it' },
      expect.objectContaining({ text: 'git push -u', decision: 'deny', rule: 'bash(git push)' }),
    ],
  });
});
