// Login with a host of the omp dialect and a provider on localhost. The test decides when sleeping code continues.
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { omp } from '../../src/dialects/index.ts';
import { serve } from '../../src/server/index.ts';
import { defaultSettings } from '../../src/settings/settings-table.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { createSingleSessionAgent } from '../../src/testing/scenario-agent.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';
import { startCopilot } from '../support/copilot.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

type Frame = Record<string, unknown>;

async function openHost() {
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
  const ports = { ...createSystemPorts({}), clock };
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
  const startLogin = (id: string) => {
    host.send(JSON.stringify({ id, type: 'login', providerId: 'github-copilot' }));
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
    data: { providers: [{ id: 'github-copilot', available: true, authenticated: true }] },
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
  expect(await call('1', 'get_login_providers')).toMatchObject({ data: { providers: [{ authenticated: false }] } });
});

test('when the host disconnects, a pending login ends', async () => {
  const { startLogin, closeGate, disconnect } = await openHost();
  closeGate();
  await startLogin('l');
  await disconnect();
});
