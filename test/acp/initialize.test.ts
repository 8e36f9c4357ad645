// `initialize`, sign-in and sign-out.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientCapabilities, InitializeResponse } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { createDirectories } from '../support/program.ts';
import { refusalOf, startHost } from './acp-host.ts';

const initialize = { protocolVersion: 1, clientCapabilities: {} };

test('initialize reports the protocol version, the program and what it can do', async () => {
  const host = await startHost({ initialize: false });
  const response: InitializeResponse = await host.agent.request<InitializeResponse>('initialize', {
    ...initialize,
    clientInfo: { name: 'test', version: '1.0.0' },
  });
  expect(response).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: 'parley', title: 'Parley', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
      auth: { logout: {} },
    },
    _meta: { steering: { supported: true } },
  });
  expect(response.agentCapabilities?.promptCapabilities?.audio ?? false).toBe(false);
  expect(response.authMethods?.length).toBeGreaterThan(0);
});

test.each([0, 2, 65_535])('protocol version %i is answered with version 1', async (protocolVersion) => {
  const host = await startHost({ initialize: false });
  expect(await host.agent.request('initialize', { protocolVersion })).toMatchObject({ protocolVersion: 1 });
  expect((await host.open()).sessionId).not.toBe('');
});

test('requests before initialize are refused, and later requests work', async () => {
  const host = await startHost({ initialize: false, sendsInvalid: true });
  const params = { cwd: host.program.cwd, mcpServers: [] };
  for (const method of ['session/new', 'session/list', 'authenticate', '_parley/get_state']) {
    const refusal = await refusalOf(host.agent.request(method, params));
    expect(refusal.code).toBe(-32600);
    expect(JSON.stringify(refusal)).toContain('initialize');
  }
  await host.agent.request('initialize', initialize);
  expect((await host.open()).sessionId).not.toBe('');
});

test('initialize without a protocol version is refused and names the field', async () => {
  const host = await startHost({ initialize: false, sendsInvalid: true });
  const refusal = await refusalOf(host.agent.request('initialize', { clientCapabilities: {} } as never));
  expect(refusal.code).toBe(-32602);
  expect(JSON.stringify(refusal)).toContain('protocolVersion');
});

test('a second initialize is answered and keeps open sessions', async () => {
  const host = await startHost();
  const { sessionId } = await host.open();
  expect(await host.agent.request('initialize', initialize)).toMatchObject({ protocolVersion: 1 });
  expect(await host.prompt(sessionId, 'say `hello`')).toMatchObject({ stopReason: 'end_turn' });
});

test('an unknown sign-in method is refused and names the field', async () => {
  const host = await startHost();
  const refusal = await refusalOf(host.agent.request('authenticate', { methodId: 'carrier-pigeon' }));
  expect(refusal.code).toBe(-32602);
  expect(JSON.stringify(refusal)).toContain('methodId');
});

test('logout removes sign-ins and keeps other keys', async () => {
  const directories = createDirectories();
  const file = join(directories.home, 'auth.json');
  const entries = {
    'github-copilot': { type: 'oauth', access: 'access-token', refresh: 'refresh-token', expires: 1 },
    groq: { type: 'api_key', key: 'gsk-stored' },
  };
  writeFileSync(file, JSON.stringify(entries), { mode: 0o600 });
  const host = await startHost({ directories });
  expect(await host.agent.request('logout', {})).toEqual({});
  expect(readFileSync(file, 'utf8')).not.toContain('refresh-token');
  expect(readFileSync(file, 'utf8')).toContain('gsk-stored');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(host.program.frames.filter((frame) => JSON.stringify(frame).includes('-token'))).toEqual([]);
});

test('sign-in methods of providers are offered to clients that can open pages, and a terminal to those that have one', async () => {
  const idsOf = async (clientCapabilities: ClientCapabilities) => {
    const host = await startHost({ initialize: false });
    const response = await host.agent.request<InitializeResponse>('initialize', {
      protocolVersion: 1,
      clientCapabilities,
    });
    return response.authMethods ?? [];
  };
  const plain = await idsOf({});
  expect(plain.map(({ id }) => id)).toEqual(['parley-login']);
  const pages = await idsOf({ elicitation: { url: {} } });
  expect(pages.map(({ id }) => id)).toEqual(expect.arrayContaining(['github-copilot', 'parley-login']));
  expect(await idsOf({ auth: { terminal: true } })).toMatchObject([
    { id: 'parley-login', type: 'terminal', args: ['login'] },
  ]);
});

test('the manual sign-in is refused with -32000 while no provider has credentials', async () => {
  const host = await startHost();
  const refusal = await refusalOf(host.agent.request('authenticate', { methodId: 'parley-login' }));
  expect(refusal.code).toBe(-32000);
  const ready = await startHost({ env: { ANTHROPIC_API_KEY: 'sk-ant-test' } });
  expect(await ready.agent.request('authenticate', { methodId: 'parley-login' })).toEqual({});
});

test('without a usable model a prompt is refused with -32000 and the sign-in methods', async () => {
  const host = await startHost({ args: ['--model', 'anthropic/claude-sonnet-4-5'] });
  const attempt = host.open().then(({ sessionId }) => host.prompt(sessionId, 'hello'));
  const refusal = await refusalOf(attempt);
  expect(refusal.code).toBe(-32000);
  expect(refusal.data).toMatchObject({ authMethods: [{ id: 'parley-login' }] });
});
