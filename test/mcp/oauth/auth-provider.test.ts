// The tokens of a session: used, refreshed by one process at a time, and never sent to another server.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAuthProvider, SignInRequiredFault } from '../../../src/mcp/oauth/auth-provider.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { startOAuthServers } from './oauth-server.ts';
import { setUpSignIn } from './sign-in-setup.ts';

async function setUp(behaviour: Parameters<typeof startOAuthServers>[0] = {}) {
  const servers = await startOAuthServers(behaviour);
  const login = setUpSignIn(servers);
  const provider = createAuthProvider(login.definition, login);
  if (!provider) throw new Error('There is no provider.');
  return { servers, ...login, provider };
}

/** Connects as a session does. */
async function connect({ definition, provider }: Pick<Awaited<ReturnType<typeof setUp>>, 'definition' | 'provider'>) {
  const client = new Client({ name: 'parley', version: '1' });
  onTestFinished(() => client.close());
  const url = new URL(definition.server.url);
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }));
  return client;
}

const expireTokens = ({ accessTokens }: { accessTokens: Map<string, string> }) => accessTokens.clear();

describe('without a login', () => {
  test('a sign-in is required, and nothing but the server is requested', async () => {
    const session = await setUp();
    const thrown = await connect(session).catch((error: unknown) => error);
    const fault = await session.provider.toSignInFault(thrown);
    expect(fault).toBeInstanceOf(SignInRequiredFault);
    expect(fault).toMatchObject({
      code: 'no_credentials',
      message: 'MCP server "guarded" requires a sign-in. Run: parley mcp login guarded',
    });
    expect(session.servers.requests).toEqual([]);
    expect(session.servers.authorizations).toEqual([undefined]);
  });

  test('other errors do not require a sign-in', async () => {
    const { provider } = await setUp();
    expect(await provider.toSignInFault(new Error('refused'))).toBeUndefined();
    expect(await provider.toSignInFault('text')).toBeUndefined();
  });

  test('a definition with an Authorization header has no provider', async () => {
    const { definition, credentials, ports } = await setUp();
    const server = { ...definition.server, headers: { authorization: 'Bearer x' } };
    expect(createAuthProvider({ name: 'guarded', server }, { credentials, ports })).toBeUndefined();
  });
});

describe('with a login', () => {
  test('the token is sent with every request', async () => {
    const session = await setUp();
    await session.signIn();
    const client = await connect(session);
    expect((await client.listTools()).tools).toHaveLength(2);
    const [token] = session.servers.accessTokens.keys();
    expect(new Set(session.servers.authorizations.slice(1))).toEqual(new Set([`Bearer ${token}`]));
  });

  test('a token that the server refuses is refreshed once', async () => {
    const session = await setUp();
    await session.signIn();
    const client = await connect(session);
    expireTokens(session.servers);
    await client.listTools();
    const [, refresh] = session.servers.listTokenRequests();
    expect(refresh).toMatchObject({
      grant_type: 'refresh_token',
      client_id: 'client-1',
      resource: session.servers.mcpUrl,
    });
    const [token] = session.servers.accessTokens.keys();
    expect(session.readLogin()).toMatchObject({ accessToken: token, scope: 'tools:read' });
    expect(session.ports.listSecrets()).toContain(token);
  });

  test('a token that expires soon is refreshed before it is used', async () => {
    const session = await setUp({ tokenLifetime: 30 });
    await session.signIn();
    session.servers.behaviour.tokenLifetime = 3600;
    await connect(session);
    expect(session.servers.listTokenRequests().map(({ grant_type }) => grant_type)).toEqual([
      'authorization_code',
      'refresh_token',
    ]);
  });

  test.each(['invalid_grant', 'invalid_client', 'unauthorized_client'])('%s: a sign-in is required', async (error) => {
    const session = await setUp();
    await session.signIn();
    expireTokens(session.servers);
    session.servers.behaviour.refreshError = error;
    const fault = await session.provider.toSignInFault(await connect(session).catch((thrown: unknown) => thrown));
    expect(fault).toBeInstanceOf(SignInRequiredFault);
    expect(session.readLogin()).not.toHaveProperty('refreshToken');
    expect(session.readLogin()).toMatchObject({ client: { id: 'client-1' } });
    await connect(session).catch(() => {});
    expect(session.servers.listTokenRequests()).toHaveLength(2);
  });

  test('an authorization server that fails loses no login', async () => {
    const session = await setUp();
    await session.signIn();
    expireTokens(session.servers);
    session.servers.behaviour.refreshError = 'server_error';
    const before = session.readLogin();
    const thrown = await connect(session).catch((error: unknown) => error);
    expect(await session.provider.toSignInFault(thrown)).toBeUndefined();
    expect(thrown).toMatchObject({ message: expect.stringContaining('could not refresh the sign-in') });
    expect(JSON.stringify(thrown)).not.toContain(before.refreshToken);
    expect(session.readLogin()).toEqual(before);
  });

  test('a server that refuses a new token requires a sign-in', async () => {
    const session = await setUp();
    await session.signIn();
    const { accessTokens } = session.servers;
    accessTokens.clear();
    accessTokens.set = () => accessTokens;
    const thrown = await connect(session).catch((error: unknown) => error);
    expect(await session.provider.toSignInFault(thrown)).toBeInstanceOf(SignInRequiredFault);
  });

  test('a login of another client id is not used', async () => {
    const session = await setUp();
    await session.signIn();
    const server = { ...session.definition.server, oauth: { clientId: 'other' } };
    const provider = createAuthProvider({ name: 'guarded', server }, session);
    expect(await provider?.token()).toBeUndefined();
  });

  test('a missing scope is requested by the next sign-in', async () => {
    const session = await setUp();
    await session.signIn();
    const client = await connect(session);
    const thrown = await client.callTool({ name: 'write' }).catch((error: unknown) => error);
    expect(await session.provider.toSignInFault(thrown)).toMatchObject({
      message: 'MCP server "guarded" requires more rights than the sign-in has. Run: parley mcp login guarded',
    });
    await session.signIn();
    expect(session.shown[1]?.url.searchParams.get('scope')).toBe('tools:read tools:write');
    expect(await client.callTool({ name: 'write' })).toMatchObject({
      content: [{ text: 'called with tools:read tools:write' }],
    });
    expect(session.readLogin()).not.toHaveProperty('requiredScope');
  });

  test('an invalid entry is ignored and kept by other logins', async () => {
    const session = await setUp();
    const { mcpUrl } = session.servers;
    writeFileSync(session.path, JSON.stringify({ mcpServers: { 'https://a.test/': 1, [mcpUrl]: { issuer: 5 } } }));
    expect(await session.provider.token()).toBeUndefined();
    await session.signIn();
    expect(JSON.parse(readFileSync(session.path, 'utf8')).mcpServers['https://a.test/']).toBe(1);
  });
});

describe('the token is not sent', () => {
  test('to another server, path or port', async () => {
    const session = await setUp();
    await session.signIn();
    const other = await startOAuthServers();
    const urls = [other.mcpUrl, session.servers.mcpUrl.replace('/mcp', '/other'), `${session.servers.mcpUrl}?a=1`];
    for (const url of urls) {
      const provider = createAuthProvider({ name: 'x', server: { type: 'http', url, headers: {} } }, session);
      expect(await provider?.token()).toBeUndefined();
    }
  });

  test('to the target of a redirect', async () => {
    const session = await setUp();
    await session.signIn();
    const received: (string | undefined)[] = [];
    const target = await startHttpServer((request, response) => {
      received.push(request.headers.authorization);
      response.writeHead(200).end();
    });
    const redirecting = await startHttpServer((_, response) => {
      response.writeHead(307, { location: target.url }).end();
    });
    const login = session.readLogin();
    await session.credentials.update(`${redirecting.url}/`, async () => login);
    const server = { type: 'http' as const, url: `${redirecting.url}/`, headers: {} };
    const provider = createAuthProvider({ name: 'x', server }, session);
    expect(await provider?.token()).toBe(login.accessToken);
    await expect(
      connect({ definition: { ...session.definition, server }, provider: provider as never }),
    ).rejects.toThrow();
    expect(received).toEqual([]);
  });
});

test('two processes refresh a token once', async () => {
  const { servers, signIn, directory, readLogin } = await setUp();
  await signIn();
  servers.accessTokens.clear();
  const script = join(createTemporaryDirectory(), 'refresh.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./refresh-fixture.ts', import.meta.url))],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['jsonc-parser'],
    // The packages inside are CommonJS and call require().
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
  });
  const processes = [1, 2, 3].map(() => {
    const child = spawn(process.execPath, [script, directory, servers.mcpUrl], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return { child, nextLine: async () => (await lines.next()).value as string };
  });
  expect(await Promise.all(processes.map(({ nextLine }) => nextLine()))).toEqual(['ready', 'ready', 'ready']);
  for (const { child } of processes) child.stdin.write('\n');
  const results = await Promise.all(processes.map(({ nextLine }) => nextLine()));
  const { accessToken } = readLogin();
  expect(results).toEqual([accessToken, accessToken, accessToken]);
  expect(servers.listTokenRequests().map(({ grant_type }) => grant_type)).toEqual([
    'authorization_code',
    'refresh_token',
  ]);
});
