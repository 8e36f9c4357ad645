// Login with a host of the omp dialect and a provider on localhost. The test decides when sleeping code continues.
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { omp } from '../../src/dialects/index.ts';
import { serve } from '../../src/server/index.ts';
import { defaultSettings } from '../../src/settings/settings-table.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { createSingleSessionAgent } from '../../src/testing/scenario-agent.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';
import { startAuthServer } from '../support/auth-server.ts';
import { startCopilot } from '../support/copilot.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

type Frame = Record<string, unknown>;

/** `site` is a server that stands in for the sign-in pages of all providers except Copilot. */
async function openHost(site = '') {
  const copilot = await startCopilot();
  const directory = createTemporaryDirectory();
  await mkdir(join(directory, 'work'));
  const fake = createFakeClock(copilot.expiresAt * 1000 - 1_800_000);
  const gate = { promise: Promise.resolve() as Promise<void>, open: () => {} };
  /** A sleep ends when the gate is open, and then advances the clock, or when its signal is aborted. */
  const clock = {
    ...fake,
    async sleep(ms: number, signal?: AbortSignal) {
      const aborted = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      await Promise.race([gate.promise, ...(signal ? [aborted] : [])]);
      if (!signal?.aborted) await fake.advance(ms);
    },
  };
  const system = createSystemPorts({});
  const redirectToSite: typeof fetch = (input, init) =>
    system.fetch(String(input).replace(/^https:\/\/(auth\.openai\.com|openrouter\.ai|auth\.x\.ai)/, site), init);
  const ports = { ...system, clock, ...(site ? { fetch: redirectToSite } : {}) };
  const agent = await createSingleSessionAgent(
    {
      cwd: join(directory, 'work'),
      agentDirectory: join(directory, 'home'),
      home: join(directory, 'user'),
      env: { OPAL_COPILOT_DOMAIN: copilot.url },
      settings: defaultSettings,
      ports,
    },
    'flag',
  );
  const { transport, host } = createMemoryTransport();
  const codec = omp.createCodec({ version: '0', stream: 'delta' });
  const served = serve({ transport, codec, commands: agent.commands, hub: agent.hub, ports, onEof: 'finish' });
  const disconnect = async () => {
    host.end();
    await served;
  };
  onTestFinished(async () => {
    gate.open();
    await disconnect();
    await agent.close();
    transport.close();
  });
  const received: Frame[] = [];
  const next = async (matches: (frame: Frame) => boolean): Promise<Frame> => {
    for (;;) {
      const frame = JSON.parse(await host.next()) as Frame;
      received.push(frame);
      if (matches(frame)) return frame;
    }
  };
  const call = (id: string, type: string, params: object = {}) => {
    host.send(JSON.stringify({ id, type, ...params }));
    return next((frame) => frame.id === id);
  };
  const startLogin = (id: string, providerId = 'github-copilot') => {
    host.send(JSON.stringify({ id, type: 'login', providerId }));
    return next(({ method }) => method === 'open_url');
  };
  const closeGate = () => {
    gate.promise = new Promise((resolve) => {
      gate.open = resolve;
    });
  };
  return {
    copilot,
    directory,
    received,
    next,
    call,
    startLogin,
    send: (frame: object) => host.send(JSON.stringify(frame)),
    closeGate,
    gate,
    disconnect,
  };
}

test('shows the code, answers other commands during the login, and saves the credentials', async () => {
  const { copilot, directory, received, next, call, startLogin, closeGate, gate } = await openHost();
  copilot.polls = [{ error: 'authorization_pending' }, { error: 'slow_down' }, { access_token: 'long-lived' }];
  closeGate();
  expect(await startLogin('l')).toMatchObject({
    type: 'extension_ui_request',
    method: 'open_url',
    url: 'https://example.test/device',
    instructions: 'Enter the code ABCD-1234',
  });
  expect(await call('1', 'get_state')).toMatchObject({ success: true });
  expect(await call('2', 'set_session_name', { name: 'meanwhile' })).toMatchObject({ success: true });
  expect(received.some(({ id }) => id === 'l')).toBe(false);
  gate.open();
  expect(await next(({ id }) => id === 'l')).toEqual({
    ...{ id: 'l', type: 'response', command: 'login', success: true },
    data: { providerId: 'github-copilot' },
  });
  expect(await call('3', 'get_login_providers')).toMatchObject({
    data: {
      providers: [
        { id: 'github-copilot', name: 'GitHub Copilot', available: true, authenticated: true },
        { id: 'openai', name: 'OpenAI', available: true, authenticated: false },
        { id: 'openrouter', name: 'OpenRouter', available: true, authenticated: false },
        { id: 'xai', name: 'xAI', available: true, authenticated: false },
      ],
    },
  });
  const path = join(directory, 'home/auth.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ 'github-copilot': { refresh: 'long-lived' } });
  expect(await call('4', 'get_available_models')).toMatchObject({ success: true });
  expect(JSON.stringify(received)).toContain('github-copilot');
  expect(JSON.stringify(received)).not.toMatch(/short-lived|long-lived/);
});

test.each([
  ['access_denied', 'The login was refused.'],
  ['expired_token', 'The code has expired. Start the login again.'],
])('%s ends the login with a message, and no credentials are saved', async (reason, error) => {
  const { copilot, next, call, startLogin } = await openHost();
  copilot.polls = [{ error: reason }];
  await startLogin('l');
  expect(await next(({ id }) => id === 'l')).toMatchObject({ command: 'login', success: false, error });
  expect(await call('1', 'get_login_providers')).toMatchObject({
    data: { providers: Array.from({ length: 4 }, () => ({ authenticated: false })) },
  });
});

test('when the host disconnects, a pending login ends', async () => {
  const { startLogin, closeGate, disconnect } = await openHost();
  closeGate();
  await startLogin('l');
  await disconnect();
});

const readAuth = async (directory: string) => JSON.parse(await readFile(join(directory, 'home/auth.json'), 'utf8'));
const isInput = ({ method }: Frame) => method === 'input';
const getQuery = ({ url }: Frame) => new URL(String(url)).searchParams;

describe('in a browser', () => {
  test('the redirect ends the login and withdraws the question', async () => {
    const site = await startAuthServer([200, { key: 'sk-or-canary' }]);
    const { directory, received, next, call, startLogin } = await openHost(site.url);
    const shown = await startLogin('l', 'openrouter');
    expect(shown).toMatchObject({ type: 'extension_ui_request', instructions: 'Sign in with OpenRouter' });
    const { id: targetId, title } = await next(isInput);
    expect(title).toBe('Paste the URL of the last page if it does not open (OpenRouter)');
    await fetch(`${getQuery(shown).get('callback_url')}?code=the-code`);
    expect(await next(({ id }) => id === 'l')).toMatchObject({ success: true, data: { providerId: 'openrouter' } });
    expect(received).toContainEqual(expect.objectContaining({ method: 'cancel', targetId }));
    expect(site.requests[0]?.fields).toMatchObject({ code: 'the-code' });
    expect(await readAuth(directory)).toEqual({ openrouter: { type: 'api_key', key: 'sk-or-canary' } });
    expect((await stat(join(directory, 'home/auth.json'))).mode & 0o777).toBe(0o600);
    const { data } = await call('1', 'get_login_providers');
    expect(data).toMatchObject({ providers: [{}, {}, { id: 'openrouter', authenticated: true }, {}] });
    expect(JSON.stringify(received)).not.toContain('canary');
  });

  test('the URL of the last page can be pasted', async () => {
    const token = { access_token: 'access-canary', refresh_token: 'refresh-canary', expires_in: 3600 };
    const site = await startAuthServer([200, { ...token, scope: 'chatgpt.tokens.use.direct' }]);
    const { directory, received, next, startLogin, send } = await openHost(site.url);
    const query = getQuery(await startLogin('l', 'openai'));
    const { id } = await next(isInput);
    const pasted = { code: 'the-code', client_id: 'client-7', state: query.get('state') ?? '' };
    const value = `${query.get('redirect_uri')}?${new URLSearchParams(pasted)}`;
    send({ type: 'extension_ui_response', id, value });
    expect(await next((frame) => frame.id === 'l')).toMatchObject({ success: true });
    expect(await readAuth(directory)).toMatchObject({ openai: { access: 'access-canary', clientId: 'client-7' } });
    expect(JSON.stringify(received)).not.toContain('canary');
  });

  test('a host without dialogs dismisses the question, and the redirect still ends the login', async () => {
    const site = await startAuthServer([200, { key: 'k' }]);
    const { next, call, startLogin, send } = await openHost(site.url);
    const shown = await startLogin('l', 'openrouter');
    const { id } = await next(isInput);
    send({ type: 'extension_ui_response', id, cancelled: true });
    expect(await call('1', 'get_state')).toMatchObject({ success: true });
    await fetch(`${getQuery(shown).get('callback_url')}?code=c`);
    expect(await next((frame) => frame.id === 'l')).toMatchObject({ success: true });
  });

  test('a second login cancels the first', async () => {
    const site = await startAuthServer([200, { key: 'k' }]);
    const { received, next, startLogin } = await openHost(site.url);
    const first = await startLogin('1', 'openrouter');
    const second = await startLogin('2', 'openrouter');
    expect(received.find(({ id }) => id === '1')).toMatchObject({ success: false, error: 'The login was cancelled' });
    await expect(fetch(`${getQuery(first).get('callback_url')}?code=c`)).rejects.toThrow('fetch failed');
    await fetch(`${getQuery(second).get('callback_url')}?code=c`);
    expect(await next(({ id }) => id === '2')).toMatchObject({ success: true });
  });

  test('cancel_login ends the login', async () => {
    const { received, call, startLogin } = await openHost('http://127.0.0.1:9');
    const shown = await startLogin('l', 'openrouter');
    expect(await call('1', 'cancel_login', { providerId: 'xai' })).toMatchObject({ data: { cancelled: false } });
    expect(await call('2', 'cancel_login', { providerId: 'openrouter' })).toMatchObject({ data: { cancelled: true } });
    await call('3', 'get_login_providers');
    const reply = received.find(({ id }) => id === 'l');
    expect(reply).toMatchObject({ success: false, error: 'The login was cancelled' });
    await expect(fetch(`${getQuery(shown).get('callback_url')}?code=c`)).rejects.toThrow('fetch failed');
    expect(await call('4', 'cancel_login', { providerId: 'openrouter' })).toMatchObject({ data: { cancelled: false } });
  });

  test('when the host disconnects, the login ends', async () => {
    const { startLogin, disconnect } = await openHost('http://127.0.0.1:9');
    const shown = await startLogin('l', 'openrouter');
    await disconnect();
    await expect(fetch(`${getQuery(shown).get('callback_url')}?code=c`)).rejects.toThrow('fetch failed');
  });
});

test('a device code of xAI', async () => {
  const code = { device_code: 'd', user_code: 'AB-12', verification_uri: 'https://x.test/device', interval: 1 };
  const token = { access_token: 'access-canary', refresh_token: 'refresh-canary' };
  const site = await startAuthServer([200, code], [400, { error: 'authorization_pending' }], [200, token]);
  const { directory, received, next, startLogin } = await openHost(site.url);
  expect(await startLogin('l', 'xai')).toMatchObject({
    url: 'https://x.test/device',
    instructions: 'Enter the code AB-12',
  });
  expect(await next(({ id }) => id === 'l')).toMatchObject({ success: true, data: { providerId: 'xai' } });
  expect(await readAuth(directory)).toMatchObject({ xai: { type: 'oauth', refresh: 'refresh-canary' } });
  expect(received.some(isInput)).toBe(false);
  expect(JSON.stringify(received)).not.toContain('canary');
});
