// No child process gets a variable with a key: of any provider, of models.json or of auth.json.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PROVIDER_VARIABLES } from '../../src/app/system-ports/index.ts';
import { type Reply, startAnthropicMessages } from '../llm/servers/anthropic-messages.ts';
import { createDirectories, type Program, type ProgramDirectories, startRpc } from '../support/program.ts';

/** The value of each contains its name, so that a leak can be identified. */
const NAMED = [
  'MY_MAIN_KEY',
  'MY_HEADER_KEY',
  'MY_MODEL_HEADER',
  'MY_OVERRIDE_HEADER',
  'OTHER_UNUSED_KEY',
  'AUTH_FILE_KEY',
  'PRINTED_KEY',
  'BRACED_TOKEN',
  'lower.case',
];
const SECRETS = Object.fromEntries([...NAMED, ...PROVIDER_VARIABLES].map((name) => [name, `canary-of-${name}`]));
const HARMLESS = { HARMLESS: 'value-to-see', GITHUB_TOKEN: 'token-of-the-user' };

function createConfiguredDirectories(baseUrl = 'http://127.0.0.1:9'): ProgramDirectories {
  const directories = createDirectories();
  const main = {
    baseUrl,
    api: 'anthropic-messages',
    apiKey: 'MY_MAIN_KEY',
    headers: { 'x-gateway': 'MY_HEADER_KEY' },
    models: [{ id: 'one', headers: { 'x-model': 'MY_MODEL_HEADER' } }],
    modelOverrides: { one: { headers: { 'x-override': 'MY_OVERRIDE_HEADER' } } },
  };
  const providers = {
    main,
    other: { ...main, apiKey: 'OTHER_UNUSED_KEY', headers: { a: 'lower.case' } },
    printed: { ...main, apiKey: `!printf %s "$PRINTED_KEY" "\${BRACED_TOKEN}" "$HOME"` },
  };
  writeFileSync(join(directories.home, 'models.json'), `// a comment with a "\n${JSON.stringify({ providers })}`);
  const auth = { elsewhere: { type: 'api_key', key: 'AUTH_FILE_KEY' } };
  writeFileSync(join(directories.home, 'auth.json'), JSON.stringify(auth), { mode: 0o600 });
  return directories;
}

const leaks = (text: string) => Object.values(SECRETS).filter((secret) => text.includes(secret));

async function closeInput(program: Program) {
  program.stdin.end();
  return program.exited;
}

test('a bash command of the host, as the first child process, gets no key', async () => {
  const program = startRpc(['--no-session', '--provider', 'parley'], {
    directories: createConfiguredDirectories(),
    env: { ...SECRETS, ...HARMLESS },
  });
  const reply = await program.call({ type: 'bash', command: 'env' });
  await closeInput(program);
  expect(JSON.stringify(reply)).toContain(HARMLESS.HARMLESS);
  expect(JSON.stringify(reply)).toContain(HARMLESS.GITHUB_TOKEN);
  expect(JSON.stringify(reply)).toContain(`HOME=${program.home}`);
  expect(leaks(JSON.stringify(reply))).toEqual([]);
});

test('a variable that a file names later is withheld from the next child process', async () => {
  const directories = createDirectories();
  const program = startRpc(['--no-session'], { directories, env: { LATER_VALUE: 'canary-later' } });
  const env = async () => JSON.stringify(await program.call({ type: 'bash', command: 'env' }));
  expect(await env()).toContain('canary-later');
  const auth = { acme: { type: 'api_key', key: 'LATER_VALUE' } };
  writeFileSync(join(directories.home, 'auth.json'), JSON.stringify(auth), { mode: 0o600 });
  expect(await env()).not.toContain('canary-later');
  await closeInput(program);
});

test('variables in a models.json with a syntax error are withheld', async () => {
  const directories = createDirectories();
  writeFileSync(join(directories.home, 'models.json'), '{"providers": {"a": {"apiKey": "HALF_WRITTEN",');
  const program = startRpc(['--no-session'], { directories, env: { HALF_WRITTEN: 'canary-half' } });
  expect(JSON.stringify(await program.call({ type: 'bash', command: 'env' }))).not.toContain('canary-half');
  await closeInput(program);
});

test('child processes of an extension get no key, also with an environment that the extension creates', async () => {
  const directories = createConfiguredDirectories();
  mkdirSync(join(directories.home, 'extensions'));
  writeFileSync(
    join(directories.home, 'extensions', 'look.ts'),
    `import { createBashTool, createLocalBashOperations } from '@mariozechner/pi-coding-agent';
    export default (pi) => {
      pi.registerProvider('late', { baseUrl: 'http://127.0.0.1:9', api: 'openai-completions', apiKey: 'EXTENSION_KEY', models: [{ id: 'm' }] });
      pi.registerCommand('look', { async handler(_, ctx) {
        const { stdout } = await pi.exec('env', []);
        ctx.ui.notify('exec ' + stdout);
        let local = '';
        await createLocalBashOperations().exec('env', '/', { onData: (data) => { local += data; }, env: { ...process.env } });
        ctx.ui.notify('local ' + local);
        const spawnHook = (about) => ({ ...about, env: { ...process.env, HOOKED: 'yes' } });
        const hooked = await createBashTool('/', { spawnHook }).execute('x', { command: 'env' });
        ctx.ui.notify('hook ' + hooked.content[0].text);
      } });
    };`,
  );
  const env = { ...SECRETS, ...HARMLESS, EXTENSION_KEY: 'canary-of-extension' };
  const program = startRpc(['--no-session', '--provider', 'parley'], { directories, env });
  await program.call({ type: 'prompt', message: '/look' });
  for (const kind of ['exec', 'local', 'hook']) {
    const { message } = await program.nextFrame(
      (frame) => frame.method === 'notify' && String(frame.message).startsWith(kind),
    );
    expect(message).toContain(HARMLESS.HARMLESS);
    expect(leaks(String(message))).toEqual([]);
    expect(message).not.toContain('canary-of-extension');
  }
  await closeInput(program);
});

/** A git that writes its environment to a file. */
function createRecordingGit(programDirectories: ProgramDirectories): string {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const folder = join(programDirectories.home, 'bin');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\nenv > "${programDirectories.home}/seen.git.$$"\nexec "${real}" "$@"\n`,
    {
      mode: 0o755,
    },
  );
  return `${folder}:${process.env.PATH}`;
}

test('shell, git, verification and key commands get only the variables that they name', async () => {
  const server = await startAnthropicMessages();
  onTestFinished(() => server.close());
  const directories = createConfiguredDirectories(server.url);
  const recordEnv = (name: string) => `env > "${directories.home}/seen.${name}"`;
  const call = (name: string, input: object): Reply => ({
    lax: true,
    answer: { parts: [{ call: `toolu_${name}`, name, input: input as Record<string, unknown> }] },
  });
  const task = {
    agent: 'task',
    isolated: true,
    tasks: [{ id: 'T', assignment: 'work' }],
    verify: { commands: [{ name: 'look', command: recordEnv('verification') }] },
  };
  const done: Reply = { lax: true, answer: { parts: [{ text: 'Done.' }] } };
  server.reply(
    call('bash', { command: recordEnv('bash') }),
    call('task', task),
    call('bash', { command: `${recordEnv('subagent')}; echo x > x.txt` }),
    done,
    done,
    done,
  );
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@b'];
  const git = (...args: string[]) =>
    execFileSync('git', [...who, ...args], {
      cwd: directories.cwd,
      env: { PATH: process.env.PATH, HOME: directories.home },
    });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'start');
  const env = { ...SECRETS, ...HARMLESS, PATH: createRecordingGit(directories) };
  const program = startRpc(['--no-session', '--model', 'printed/one'], { directories, env });
  program.send({ type: 'prompt', message: 'go' });
  await program.nextFrame({ type: 'agent_settled' });
  await closeInput(program);
  const key = server.received[0]?.headers['x-api-key'];
  expect(key).toBe(`canary-of-PRINTED_KEYcanary-of-BRACED_TOKEN${directories.home}`);
  const seen = readdirSync(directories.home).filter((name) => name.startsWith('seen.'));
  expect(seen).toEqual(expect.arrayContaining(['seen.bash', 'seen.subagent', 'seen.verification']));
  expect(seen.filter((name) => name.startsWith('seen.git')).length).toBeGreaterThan(3);
  for (const name of seen) {
    const text = readFileSync(join(directories.home, name), 'utf8');
    expect(text).toContain(HARMLESS.HARMLESS);
    expect({ name, leaks: leaks(text) }).toEqual({ name, leaks: [] });
  }
});
