// `parley mcp login` and `parley mcp logout`, with the built program and a loopback authorization server.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type OAuthBehaviour, startOAuthServers } from '../mcp/oauth/oauth-server.ts';
import { createDirectories, type ProgramDirectories, runProgram, startProgram } from '../support/program.ts';
import { startScriptedProvider } from '../support/scripted-provider.ts';
import { listPaths } from '../support/session-files.ts';
import { waitUntil } from '../support/wait-until.ts';

const readAuth = ({ home }: ProgramDirectories) => JSON.parse(readFileSync(join(home, 'auth.json'), 'utf8'));

/** A process that needs no sign-in, and never answers: a session would wait for it. */
const LOCAL = { local: { command: 'cat' } };

async function setUp(
  behaviour: Partial<OAuthBehaviour> = {},
  directories = createDirectories(),
  others: object = LOCAL,
) {
  const servers = await startOAuthServers(behaviour);
  const mcpServers = { guarded: { type: 'http', url: servers.mcpUrl }, ...others };
  writeFileSync(join(directories.home, 'mcp.json'), JSON.stringify({ mcpServers }));
  const run = (...args: string[]) => runProgram(args, '', { directories });
  return { servers, directories, run };
}

/** Signs in as a user does: opens the printed URL. */
async function signIn(directories: ProgramDirectories, ...flags: string[]) {
  const program = startProgram(['mcp', 'login', 'guarded', ...flags], { directories });
  let stderr = '';
  program.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  await waitUntil(() => stderr.includes('\n'));
  const page = await fetch(/open (\S+)/.exec(stderr)?.[1] ?? '');
  return { ...(await program.exited), page: await page.text() };
}

describe('parley mcp login', () => {
  test('signs in, and the server can be used until the logout', async () => {
    const { servers, directories, run } = await setUp();
    expect(await run('mcp', 'test', 'guarded')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('parley mcp login guarded'),
    });
    const { code, stdout, stderr, page } = await signIn(directories);
    const path = join(directories.home, 'auth.json');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Signed in to guarded. The credentials are in ${path}.\n` });
    expect(page).toBe('Signed in. You can close this page and return to the terminal.\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const [token] = servers.accessTokens.keys();
    expect(readAuth(directories).mcpServers[servers.mcpUrl]).toMatchObject({ accessToken: token });
    expect(`${stdout}${stderr}`).not.toContain('access-');
    expect(await run('mcp', 'test', 'guarded')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('mcp__guarded__echo'),
    });
    expect(await run('mcp', 'logout', 'guarded')).toMatchObject({ code: 0, stdout: 'Removed the login of guarded.\n' });
    expect(readAuth(directories)).toEqual({});
    expect(await run('mcp', 'logout', servers.mcpUrl)).toMatchObject({
      code: 1,
      stderr: `Error: No login of ${servers.mcpUrl} is stored.\n`,
    });
  });

  test('is not seen by the commands for providers', async () => {
    const { directories, run } = await setUp();
    await runProgram(['login', 'openai'], 'sk-canary-4711', { directories });
    await signIn(directories);
    for (const args of [['login', 'status'], ['doctor'], ['models', '--provider', 'openai']]) {
      const { stdout, stderr } = await run(...args);
      expect(`${args[0]}: ${stdout}${stderr}`).not.toMatch(/mcpServers|access-/);
    }
    expect((await run('logout', 'mcpServers')).stderr).toContain('has no credentials of mcpServers');
    expect((await run('logout', '--all')).stdout).toBe('Removed the credentials of openai.\n');
    expect(Object.keys(readAuth(directories))).toEqual(['mcpServers']);
  });

  test('with a device code', async () => {
    const { directories, run } = await setUp({ hasDeviceFlow: true });
    const { code, stderr } = await run('mcp', 'login', 'guarded', '--device');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Sign in to guarded: open http:\S+\/verify and enter the code ABCD-1234\n$/);
    expect(readAuth(directories)).toHaveProperty('mcpServers');
  });

  test('with a client secret from stdin', async () => {
    const { servers, directories } = await setUp({ clientSecret: 's3cret-canary', hasDeviceFlow: true });
    const server = { url: servers.mcpUrl, oauth: { clientId: 'app' } };
    writeFileSync(join(directories.home, 'mcp.json'), JSON.stringify({ mcpServers: { guarded: server } }));
    const args = ['mcp', 'login', 'guarded', '--device', '--client-secret'];
    const { code, stdout, stderr } = await runProgram(args, 's3cret-canary\n', { directories });
    expect(code).toBe(0);
    expect(`${stdout}${stderr}`).not.toContain('canary');
  });

  test('SIGINT cancels, and nothing is stored', async () => {
    const { servers, directories } = await setUp();
    const program = startProgram(['mcp', 'login', 'guarded'], { directories });
    await new Promise((resolve) => program.stderr.once('data', resolve));
    program.kill('SIGINT');
    expect((await program.exited).code).not.toBe(0);
    expect(servers.accessTokens.size).toBe(0);
  });

  test.each([
    [['login'], 'parley mcp login needs one NAME'],
    [['login', 'guarded', 'x'], 'parley mcp login needs one NAME'],
    [['login', 'other'], 'There is no MCP server other. Servers: guarded, local.'],
    [['login', 'local'], 'local is a process, which needs no sign-in.'],
    [['login', 'guarded', '--device', '--browser'], 'Use only one of --device and --browser.'],
    [['login', 'guarded', '--port', '0'], '--port 0: use a number from 1 to 65535.'],
    [['login', 'guarded', '--client-secret'], '--client-secret needs the id of the client'],
    [['login', 'guarded', '--browser'], 'refused to register a client (403)'],
    [['logout'], 'parley mcp logout needs one NAME'],
    [['logout', 'guarded'], 'No login of guarded is stored.'],
  ])('%j: an error', async (args, message) => {
    const { run } = await setUp({ registration: 'refused' });
    const { code, stdout, stderr } = await run('mcp', ...args);
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringContaining(message) });
    expect(code).not.toBe(0);
  });
});

test('a session uses the login, and the token reaches neither its output nor its files', async () => {
  const call = { name: 'mcp__guarded__echo', arguments: '{}' };
  const { directories, flags } = await startScriptedProvider([{ calls: [call] }, { text: 'Done.' }]);
  const { servers } = await setUp({}, directories, {});
  await signIn(directories);
  const log = join(directories.home, 'parley.log');
  const args = ['--mode', 'json', ...flags, 'hi'];
  const { code, stdout, stderr } = await runProgram(args, '', { directories, env: { PARLEY_LOG: log } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('called with tools:read');
  const [token = ''] = servers.accessTokens.keys();
  expect(servers.authorizations.at(-1)).toBe(`Bearer ${token}`);
  expect(stdout).not.toContain(token);
  const files = listPaths(directories.home).filter((path) => statSync(join(directories.home, path)).isFile());
  expect(files).toEqual(expect.arrayContaining(['parley.log', expect.stringMatching(/\.jsonl$/)]));
  for (const path of files.filter((name) => name !== 'auth.json'))
    expect(readFileSync(join(directories.home, path), 'utf8'), path).not.toContain(token);
});
