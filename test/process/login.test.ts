// `parley login` and `parley logout`: keys, sign-ins and the status. Secrets are never printed.
import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { startCopilot } from '../support/copilot.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { createDirectories, type ProgramDirectories, runProgram, startProgram, startRpc } from '../support/program.ts';
import { listPaths } from '../support/session-files.ts';
import { waitUntil } from '../support/wait-until.ts';

const CANARY = 'sk-canary-4711';
const readAuth = ({ home }: ProgramDirectories) => JSON.parse(readFileSync(join(home, 'auth.json'), 'utf8'));

describe('a key', () => {
  test('from stdin is stored in a private file and is not printed', async () => {
    const directories = createDirectories();
    const outcome = await runProgram(['login', 'openai'], `${CANARY}\n`, { directories });
    const path = join(directories.home, 'auth.json');
    expect(outcome).toMatchObject({ code: 0, stdout: `The key of OpenAI is stored in ${path}.\n`, stderr: '' });
    expect(readAuth(directories)).toEqual({ openai: { type: 'api_key', key: CANARY } });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(listPaths(directories.home)).toEqual(['auth.json']);
  });

  test('is used by the next start', async () => {
    const directories = createDirectories();
    await runProgram(['login', 'groq'], CANARY, { directories });
    expect((await runProgram(['models', '--provider', 'groq'], '', { directories })).stdout).toMatch(/^groq /m);
  });

  test.each([
    ['an empty stdin', ['login', 'openai'], '\n', 'stdin contains no key. Nothing was stored.'],
    ['two lines', ['login', 'openai'], `${CANARY}\ntwo\n`, 'The key contains a line break at character 15'],
    ['a binary file', ['login', 'openai'], `${CANARY}\0`, 'the control character U+0000'],
    ['too much', ['login', 'openai'], CANARY.repeat(6000), 'more than 64 KiB'],
    ['no provider', ['login'], CANARY, 'Name a provider: anthropic, openai, '],
    ['an unknown provider', ['login', 'opnai'], CANARY, 'Unknown provider: opnai (did you mean openai?). Known: '],
    ['a provider without keys', ['login', 'github-copilot', '--key'], CANARY, 'github-copilot has no API keys.'],
    ['a provider without a sign-in', ['login', 'groq', '--browser'], CANARY, 'groq has no sign-in.'],
    ['two arguments', ['login', 'groq', 'xai'], CANARY, 'Unexpected argument: xai'],
    ['a flag without effect', ['login', 'groq', '--json'], CANARY, 'Unexpected argument: --json'],
  ])('%s: an error, nothing is stored', async (_, args, input, words) => {
    const directories = createDirectories();
    const { code, stdout, stderr } = await runProgram(args, input, { directories });
    expect(stdout).toBe('');
    expect(code).not.toBe(0);
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('canary');
    expect(listPaths(directories.home)).toEqual([]);
  });

  test('of a provider of models.json', async () => {
    const directories = createDirectories();
    const mine = { baseUrl: 'http://127.0.0.1:9', api: 'openai-completions', models: [{ id: 'm' }] };
    writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { mine } }));
    expect(await runProgram(['login', 'mine'], CANARY, { directories })).toMatchObject({ code: 0 });
    expect(readAuth(directories).mine).toEqual({ type: 'api_key', key: CANARY });
  });
});

describe('in a terminal', () => {
  /** Types each input when its text has appeared. Returns everything that the terminal has shown. */
  async function atTerminal(
    args: string,
    steps: readonly (readonly [string, string])[],
    directories: ProgramDirectories,
  ) {
    const command = `'${process.execPath}' '${inject('program')}' ${args}`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: directories.cwd,
      env: { PATH: process.env.PATH, HOME: directories.home, PARLEY_DIR: directories.home, TERM: 'xterm' },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let screen = '';
    child.stdout.on('data', (chunk: Buffer) => {
      screen += chunk;
    });
    const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
    for (const [seen, typed] of steps) {
      await waitUntil(() => screen.includes(seen));
      child.stdin.write(typed);
    }
    return { code: await exited, screen };
  }

  test('the key is not shown', async () => {
    const directories = createDirectories();
    const steps = [['(not shown): ', `x\u007f${CANARY}\r`]] as const;
    const { code, screen } = await atTerminal('login anthropic', steps, directories);
    expect(code).toBe(0);
    expect(screen).toContain('The key of Anthropic is stored in');
    expect(screen).not.toContain('canary');
    expect(readAuth(directories)).toEqual({ anthropic: { type: 'api_key', key: CANARY } });
  });

  test('the provider is chosen from a list', async () => {
    const directories = createDirectories();
    const steps = [
      ['Number or provider: ', '3\r'],
      ['API key of Google Gemini (not shown): ', `${CANARY}\r`],
    ] as const;
    const { code, screen } = await atTerminal('login', steps, directories);
    expect(code).toBe(0);
    expect(screen).toMatch(/2 +openai +OpenAI +sign-in with ChatGPT or API key/);
    expect(readAuth(directories)).toHaveProperty('google');
  });

  test('Ctrl-C stores nothing', async () => {
    const directories = createDirectories();
    const steps = [['(not shown): ', 'sk-\u0003']] as const;
    const { code, screen } = await atTerminal('login openai --key', steps, directories);
    expect(code).toBe(1);
    expect(screen).toContain('Cancelled. Nothing was stored.');
    expect(listPaths(directories.home)).toEqual([]);
  });
});

describe('a sign-in', () => {
  test('with a device code', async () => {
    const copilot = await startCopilot();
    copilot.polls = [{ error: 'authorization_pending' }, { access_token: 'gho-canary' }];
    const directories = createDirectories();
    const env = { OPAL_COPILOT_DOMAIN: copilot.url };
    const { code, stdout, stderr } = await runProgram(['login', 'github-copilot'], '', { directories, env });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'Sign in with GitHub: open https://example.test/device and enter the code ABCD-1234\n',
    });
    expect(stdout).toBe(
      `Signed in to GitHub Copilot. The credentials are in ${join(directories.home, 'auth.json')}.\n`,
    );
    expect(readAuth(directories)['github-copilot']).toMatchObject({ type: 'oauth', refresh: 'gho-canary' });
    expect(statSync(join(directories.home, 'auth.json')).mode & 0o777).toBe(0o600);
  });

  /** A proxy that leads every host to one server with a certificate for the hosts of the sign-ins. */
  async function startAuthSite(answer: (path: string, body: string) => object) {
    const tls = join(import.meta.dirname, '../support/tls');
    const certificate = join(tls, 'login.test.crt');
    const keys = { cert: readFileSync(certificate), key: readFileSync(join(tls, 'login.test.key')) };
    const server = createTlsServer(keys, async (request, response) => {
      response.end(JSON.stringify(answer(`${request.headers.host}${request.url}`, await text(request))));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const proxy = await startForwardProxy({ ports: { 443: (server.address() as AddressInfo).port } });
    return { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: certificate };
  }

  test('in the browser, at the real address of the provider', async () => {
    const requests: string[] = [];
    const env = await startAuthSite((path, body) => {
      requests.push(path, body);
      return { key: CANARY };
    });
    const program = startProgram(['login', 'openrouter', '--browser'], { env });
    let stderr = '';
    program.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk;
    });
    await waitUntil(() => stderr.includes('\n'));
    const url = new URL(/open (\S+)/.exec(stderr)?.[1] ?? '');
    expect(url.origin + url.pathname).toBe('https://openrouter.ai/auth');
    const page = await fetch(`${url.searchParams.get('callback_url')}?code=the-code`);
    expect(await page.text()).toBe('Signed in. You can close this page and return to the terminal.\n');
    const { code, stdout } = await program.exited;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Signed in to OpenRouter\. /) });
    expect(requests[0]).toBe('openrouter.ai/api/v1/auth/keys');
    expect(requests[1]).toContain('"code":"the-code"');
    expect(readAuth(program)).toEqual({ openrouter: { type: 'api_key', key: CANARY } });
    expect(`${stdout}${stderr}`).not.toContain('canary');
  });

  test('requested by a host over RPC', async () => {
    const env = await startAuthSite(() => ({ key: CANARY }));
    const program = startRpc([], { env });
    program.send({ id: 'l', type: 'login', providerId: 'openrouter' });
    const { url } = await program.nextFrame({ method: 'open_url' });
    expect(url).toMatch(/^https:\/\/openrouter\.ai\/auth\?/);
    const { id: targetId } = await program.nextFrame({ method: 'input' });
    await fetch(`${new URL(String(url)).searchParams.get('callback_url')}?code=the-code`);
    expect(await program.nextFrame({ method: 'cancel' })).toMatchObject({ targetId });
    expect(await program.nextFrame({ id: 'l' })).toMatchObject({ success: true, data: { providerId: 'openrouter' } });
    expect(readAuth(program)).toEqual({ openrouter: { type: 'api_key', key: CANARY } });
    program.stdin.end();
    const { code, stdout, stderr } = await program.exited;
    expect(code).toBe(0);
    expect(`${stdout}${stderr}`).not.toContain('canary');
  });

  test('with a device code of xAI, whose login is renewed before it is used', async () => {
    const requests: string[] = [];
    const env = await startAuthSite((path, body) => {
      requests.push(`${path} ${new URLSearchParams(body).get('grant_type')}`);
      if (path.endsWith('/device/code'))
        return {
          device_code: 'd',
          user_code: 'U-1',
          verification_uri: 'https://x.ai/device',
          interval: 1,
          expires_in: 60,
        };
      return { access_token: 'access-canary', refresh_token: 'refresh-canary', expires_in: 60 };
    });
    const directories = createDirectories();
    const { code, stderr } = await runProgram(['login', 'xai', '--browser'], '', { directories, env });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'Sign in with xAI: open https://x.ai/device and enter the code U-1\n',
    });
    expect(readAuth(directories).xai).toMatchObject({
      type: 'oauth',
      access: 'access-canary',
      refresh: 'refresh-canary',
    });
    const flags = ['--no-session', '--set', 'retry.enabled=false', '--provider', 'xai'];
    const prompt = await runProgram([...flags, 'hi'], '', { directories, env });
    expect(requests.at(-1)).toBe('auth.x.ai/oauth2/token refresh_token');
    expect(`${prompt.stdout}${prompt.stderr}`).not.toContain('canary');
  });
});

describe('parley login status', () => {
  test('names the sources and no values', async () => {
    const directories = createDirectories();
    const auth = {
      openai: { type: 'api_key', key: CANARY },
      xai: { type: 'oauth', access: CANARY, refresh: CANARY, expires: 1 },
      anthropic: { type: 'oauth', access: CANARY, refresh: CANARY, expires: 1 },
    };
    writeFileSync(join(directories.home, 'auth.json'), JSON.stringify(auth), { mode: 0o600 });
    const mine = { baseUrl: 'http://127.0.0.1:9', api: 'openai-completions', apiKey: CANARY, models: [{ id: 'm' }] };
    writeFileSync(join(directories.home, 'models.json'), JSON.stringify({ providers: { mine } }));
    const env = { GROQ_API_KEY: CANARY, AWS_SHARED_CREDENTIALS_FILE: join(directories.home, 'models.json') };
    const { code, stdout, stderr } = await runProgram(['login', 'status', '--json'], '', { directories, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('canary');
    const { providers } = JSON.parse(stdout) as { providers: { id: string }[] };
    const find = (id: string) => providers.find((provider) => provider.id === id);
    const file = join(directories.home, 'auth.json');
    expect(find('openai')).toEqual({
      ...{ id: 'openai', name: 'OpenAI', methods: ['browser', 'api_key'] },
      ...{ authenticated: true, source: file },
    });
    expect(find('xai')).toMatchObject({ authenticated: true, source: `the login in ${file}` });
    expect(find('anthropic')).toMatchObject({ authenticated: false, problem: `The login in ${file} has expired.` });
    expect(find('groq')).toMatchObject({ authenticated: true, source: 'the variable GROQ_API_KEY' });
    expect(find('mine')).toMatchObject({ authenticated: true, source: join(directories.home, 'models.json') });
    expect(find('amazon-bedrock')).toMatchObject({ authenticated: true, source: 'the sign-in of the cloud' });
    expect(find('google')).toEqual({ id: 'google', name: 'Google Gemini', methods: ['api_key'], authenticated: false });
    const list = await runProgram(['login', '--list'], '', { directories, env });
    expect(list.stdout).toMatch(/^groq +the variable GROQ_API_KEY$/m);
    expect(list.stdout).not.toMatch(/^google /m);
    expect(list.stdout).not.toContain('canary');
  });
});

describe('parley logout', () => {
  test('removes the named credentials and says what remains', async () => {
    const directories = createDirectories();
    for (const provider of ['openai', 'groq', 'xai']) await runProgram(['login', provider], CANARY, { directories });
    const env = { GROQ_API_KEY: CANARY };
    const { code, stdout } = await runProgram(['logout', 'openai', 'groq'], '', { directories, env });
    expect(code).toBe(0);
    expect(stdout).toBe(
      'Removed the credentials of openai.\n' +
        'Removed the credentials of groq. It still has a key from the variable GROQ_API_KEY.\n',
    );
    expect(Object.keys(readAuth(directories))).toEqual(['xai']);
    expect(await runProgram(['logout', '--all'], '', { directories })).toMatchObject({
      code: 0,
      stdout: 'Removed the credentials of xai.\n',
    });
    expect(readAuth(directories)).toEqual({});
  });

  test.each([
    [[], 2, 'Name a provider, or use --all. Stored: openai.'],
    [['groq'], 1, 'has no credentials of groq.'],
    [['openai', 'groq'], 1, 'has no credentials of groq.'],
    [['--all', 'openai'], 2, 'Unexpected argument: openai'],
  ])('%j: an error, nothing is removed', async (args, code, words) => {
    const directories = createDirectories();
    await runProgram(['login', 'openai'], CANARY, { directories });
    const outcome = await runProgram(['logout', ...args], '', { directories });
    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(outcome.stderr).toContain(words);
    expect(Object.keys(readAuth(directories))).toEqual(['openai']);
  });
});
