// A session with a server that requires a sign-in: its state, the notice, and the tools after the sign-in.
import { expect, test } from 'vitest';
import type { McpHttpServer, Tool } from '../../../src/contracts/index.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createToolFixture } from '../../tools/tool-fixture.ts';
import { createMcpFixture } from '../mcp-fixture.ts';
import { startOAuthServers } from './oauth-server.ts';
import { setUpSignIn } from './sign-in-setup.ts';

const runTool = (tool: Tool) => tool.run({}, createToolFixture());
const REMEDY = 'MCP server "guarded" requires a sign-in. Run: parley mcp login guarded';

async function setUp(options: { headers?: Record<string, string>; type?: McpHttpServer['type'] } = {}) {
  const servers = await startOAuthServers();
  const login = setUpSignIn(servers);
  const definition = { ...login.definition, server: { ...login.definition.server, ...options } };
  /** The check for a sign-in of another process, which is run by the test. */
  const checks: (() => void)[] = [];
  const clock = {
    ...login.ports.clock,
    after(ms: number, act: () => void) {
      if (ms !== 5_000) return login.ports.clock.after(ms, act);
      checks.push(act);
      return () => {};
    },
  };
  const ports = { ...login.ports, clock };
  const session = createMcpFixture([definition], { credentials: login.credentials, ports });
  const getStates = () => session.servers.getStatus().map(({ state }) => state);
  return { ...login, ...session, oauth: servers, checks, getStates };
}

test('is found to be required, and the session continues after it', async () => {
  const { servers, notices, getStates, checks, signIn, tool, oauth } = await setUp();
  await servers.connect();
  expect(getStates()).toEqual(['sign_in_required']);
  expect(notices).toEqual([REMEDY]);
  expect(oauth.requests).toEqual([]);
  checks.shift()?.();
  await waitUntil(() => checks.length === 1);
  expect(getStates()).toEqual(['sign_in_required']);
  await signIn();
  checks.shift()?.();
  await waitUntil(() => getStates()[0] === 'connected');
  expect(await runTool(tool('echo'))).toMatchObject({ content: [{ text: 'called with tools:read' }] });
});

test('a login that has ended fails the call with the remedy, and a new one repeats it', async () => {
  const { servers, notices, logs, getStates, signIn, tool, oauth, readLogin } = await setUp();
  await signIn();
  await servers.connect();
  expect(getStates()).toEqual(['connected']);
  const { accessToken, refreshToken } = readLogin();
  oauth.accessTokens.clear();
  oauth.refreshTokens.clear();
  await expect(runTool(tool('echo'))).rejects.toThrow(REMEDY);
  expect(getStates()).toEqual(['sign_in_required']);
  expect(notices).toEqual([REMEDY]);
  await signIn();
  await runTool(tool('echo'));
  expect(getStates()).toEqual(['connected']);
  const texts = JSON.stringify([notices, logs, servers.getStatus()]);
  for (const secret of [accessToken, refreshToken, readLogin().accessToken]) expect(texts).not.toContain(secret);
});

test('a call that needs another scope names the remedy', async () => {
  const { servers, signIn, tool } = await setUp();
  await signIn();
  await servers.connect();
  const message = 'requires more rights than the sign-in has. Run: parley mcp login guarded';
  await expect(runTool(tool('write'))).rejects.toThrow(message);
  await signIn();
  expect(await runTool(tool('write'))).toMatchObject({ content: [{ text: 'called with tools:read tools:write' }] });
});

test('an Authorization header of the definition is used as it is', async () => {
  const { servers, getStates, signIn, notices, oauth } = await setUp({
    headers: { Authorization: 'Bearer fixed-token' },
  });
  await signIn();
  await servers.connect();
  expect(getStates()[0]).not.toBe('sign_in_required');
  expect(new Set(oauth.authorizations.slice(1))).toEqual(new Set(['Bearer fixed-token']));
  expect(notices.join()).not.toContain('fixed-token');
});

test('is required by the older transport too', async () => {
  const { servers, getStates, notices } = await setUp({ type: 'sse' });
  await servers.connect();
  expect(getStates()).toEqual(['sign_in_required']);
  expect(notices).toEqual([REMEDY]);
});
