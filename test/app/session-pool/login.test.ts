// Login over the opal protocol with a provider on localhost. The fake clock advances when code sleeps.
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { loadDialect } from '../../../src/dialects/index.ts';
import { serve } from '../../../src/server/index.ts';
import { defaultSettings } from '../../../src/settings/settings-table.ts';
import { createFakeClock } from '../../../src/testing/fake-clock.ts';
import { createMultiSessionAgent } from '../../../src/testing/scenario-agent.ts';
import { createMemoryTransport } from '../../../src/transports/index.ts';
import { startCopilot } from '../../support/copilot.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

interface Reply {
  id: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

async function openHost() {
  const copilot = await startCopilot();
  const directory = createTemporaryDirectory();
  await mkdir(join(directory, 'work'));
  const fake = createFakeClock(copilot.expiresAt * 1000 - 1_800_000);
  const waits: number[] = [];
  /** A sleep only advances the clock. It waits while `gate` is pending. */
  let gate: Promise<void> = Promise.resolve();
  const clock = {
    ...fake,
    async sleep(ms: number, signal?: AbortSignal) {
      waits.push(ms);
      await gate;
      if (!signal?.aborted) await fake.advance(ms);
    },
  };
  const ports = { ...createSystemPorts({}), clock };
  const agent = createMultiSessionAgent({
    cwd: join(directory, 'work'),
    agentDirectory: join(directory, 'home'),
    home: join(directory, 'user'),
    env: { OPAL_COPILOT_DOMAIN: copilot.url },
    settings: defaultSettings,
    ports,
  });
  const { transport, host } = createMemoryTransport();
  const dialect = await loadDialect('opal');
  const codec = dialect.createCodec({ version: '0', stream: 'delta' });
  const served = serve({ transport, codec, commands: agent.commands, hub: agent.hub, ports, onEof: 'finish' });
  onTestFinished(async () => {
    host.end();
    await served;
    await agent.close();
    transport.close();
  });
  const received: Record<string, unknown>[] = [];
  const next = async (matches: (frame: Record<string, unknown>) => boolean) => {
    for (;;) {
      const frame = JSON.parse(await host.next()) as Record<string, unknown>;
      received.push(frame);
      if (matches(frame)) return frame;
    }
  };
  const send = (id: number, method: string, params = {}) =>
    host.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  const reply = async (id: number) => (await next((frame) => frame.id === id)) as unknown as Reply;
  let calls = 100;
  const call = (method: string, params = {}) => {
    calls += 1;
    send(calls, method, params);
    return reply(calls);
  };
  const closeGate = () => {
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    return () => open();
  };
  return { copilot, directory, waits, clock, call, send, reply, next, received, closeGate };
}

const POLL = { device_code: 'dev', interval: 5 };

test('returns a code, answers other requests during the login, and saves the credentials with mode 600', async () => {
  const { copilot, directory, call, send, reply, waits, received, closeGate } = await openHost();
  expect((await call('auth/login')).result).toEqual({
    user_code: 'ABCD-1234',
    verification_uri: 'https://example.test/device',
    device_code: 'dev',
    interval: 1,
  });
  copilot.polls = [{ error: 'authorization_pending' }, { error: 'slow_down' }, { access_token: 'long-lived' }];
  const release = closeGate();
  send(1, 'auth/poll', POLL);
  expect((await call('opal/ping')).result).toEqual({});
  expect((await call('auth/status')).result).toMatchObject({ authenticated: false });
  const { result: session } = await call('session/start');
  expect(session).toMatchObject({ auth: { status: 'setup_required' } });
  expect(received.some(({ id }) => id === 1)).toBe(false);
  release();
  expect((await reply(1)).result).toEqual({ authenticated: true });
  expect(waits).toEqual([5_000, 5_000, 10_000]);
  const { result } = await call('auth/status');
  expect(result).toMatchObject({ authenticated: true, auth: { status: 'ready', provider: 'copilot' } });
  const { providers } = (result as { auth: { providers: { id: string; ready: boolean }[] } }).auth;
  expect(providers.filter(({ ready }) => ready).map(({ id }) => id)).toEqual(['copilot']);
  const path = join(directory, 'home/auth.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
    'github-copilot': { type: 'oauth', access: 'short-lived-1', refresh: 'long-lived', baseUrl: copilot.url },
  });
  expect(JSON.stringify(received)).not.toMatch(/short-lived|long-lived/);
});

test.each([
  ['access_denied', 'The login was refused.'],
  ['expired_token', 'The code has expired. Start the login again.'],
])('%s ends the login with a message, and no credentials are saved', async (error, data) => {
  const { copilot, call } = await openHost();
  copilot.polls = [{ error }];
  expect((await call('auth/poll', POLL)).error).toEqual({ code: -32603, message: 'Auth polling failed', data });
  expect((await call('auth/status')).result).toMatchObject({ authenticated: false });
});

test('device code expires when the user never enters it', async () => {
  const { call, waits } = await openHost();
  await call('auth/login');
  const { error } = await call('auth/poll', POLL);
  expect(error).toMatchObject({ message: 'Auth polling failed', data: 'The code has expired. Start the login again.' });
  expect(waits.length).toBeLessThanOrEqual(900 / 5 + 1);
});

test('after the login the models are available, and the token is renewed before it expires', async () => {
  const { copilot, call, clock, next } = await openHost();
  await call('session/start', { session_id: 'before' });
  copilot.polls = [{ access_token: 'long-lived' }];
  await call('auth/poll', POLL);
  expect((await call('models/list', { providers: ['copilot'] })).result).toEqual({
    models: [
      {
        id: 'claude-sonnet-4.6',
        name: 'Claude Sonnet 4.6',
        provider: 'copilot',
        supports_thinking: false,
        thinking_levels: ['off'],
      },
    ],
  });
  await call('models/list');
  expect(copilot.count('/models')).toBe(1);
  const isEndOf = (session: string) => (frame: Record<string, unknown>) => {
    const params = frame.params as Record<string, unknown> | undefined;
    return params?.session_id === session && params.type === 'agent_end';
  };
  // A session that was opened before the login can switch to these models, and a new session can start with them.
  expect((await call('model/set', { session_id: 'before', model_id: 'claude-sonnet-4.6' })).result).toMatchObject({
    model: { provider: 'copilot', id: 'claude-sonnet-4.6' },
  });
  await call('session/start', { session_id: 'after', model: { provider: 'copilot', id: 'claude-sonnet-4.6' } });
  expect((await call('agent/state', { session_id: 'after' })).result).toMatchObject({ model: { provider: 'copilot' } });
  await call('agent/prompt', { session_id: 'after', text: 'Hello' });
  await next(isEndOf('after'));
  const chat = copilot.requests.findLast(({ path }) => path === '/chat/completions');
  expect(chat?.headers).toMatchObject({
    authorization: 'Bearer short-lived-1',
    'copilot-integration-id': 'vscode-chat',
    'x-initiator': 'user',
  });
  await clock.advance(1_600_000);
  copilot.expiresAt += 1_800;
  await call('agent/prompt', { session_id: 'before', text: 'Hello again' });
  await next(isEndOf('before'));
  expect(copilot.count('/copilot_internal/v2/token')).toBe(2);
  expect(copilot.requests.at(-1)?.headers.authorization).toBe('Bearer short-lived-2');
});
