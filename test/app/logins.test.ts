// Signing in while a host of omp looks on, against a provider on the loopback. Whoever waits is let go by the test.
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { defaultSettings } from '../../src/app/settings-table.ts';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { omp } from '../../src/dialects/index.ts';
import { serve } from '../../src/server/index.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { openOne } from '../../src/testing/scenario-house.ts';
import { createMemoryTransport } from '../../src/transports/index.ts';
import { startCopilot } from '../support/copilot.ts';
import { temporaryDirectory } from '../support/temporary.ts';

type Frame = Record<string, unknown>;

async function openHost() {
  const copilot = await startCopilot();
  const directory = temporaryDirectory();
  await mkdir(join(directory, 'work'));
  const fake = createFakeClock(copilot.expiresAt * 1000 - 1_800_000);
  const gate = { promise: Promise.resolve() as Promise<void>, open: () => {} };
  /** Whoever sleeps wakes when the gate is open, that much later, or when nobody waits for them any more. */
  const clock = {
    ...fake,
    async sleep(ms: number, signal?: AbortSignal) {
      const aborted = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      await Promise.race([gate.promise, ...(signal ? [aborted] : [])]);
      if (!signal?.aborted) await fake.advance(ms);
    },
  };
  const ports = { ...createSystemPorts({}), clock };
  const house = await openOne(
    {
      cwd: join(directory, 'work'),
      agentDirectory: join(directory, 'home'),
      home: join(directory, 'user'),
      env: { OPAL_COPILOT_DOMAIN: copilot.url },
      settings: defaultSettings,
      ports,
    },
    'said',
  );
  const { transport, host } = createMemoryTransport();
  const codec = omp.codec({ version: '0', stream: 'delta' });
  const served = serve({ transport, codec, commands: house.commands, hub: house.hub, ports, onEof: 'finish' });
  const leave = async () => {
    host.end();
    await served;
  };
  onTestFinished(async () => {
    gate.open();
    await leave();
    await house.close();
    transport.close();
  });
  const seen: Frame[] = [];
  const next = async (fits: (frame: Frame) => boolean): Promise<Frame> => {
    for (;;) {
      const frame = JSON.parse(await host.next()) as Frame;
      seen.push(frame);
      if (fits(frame)) return frame;
    }
  };
  const call = (id: string, type: string, params: object = {}) => {
    host.send(JSON.stringify({ id, type, ...params }));
    return next((frame) => frame.id === id);
  };
  const begin = (id: string) => {
    host.send(JSON.stringify({ id, type: 'login', providerId: 'github-copilot' }));
    return next(({ method }) => method === 'open_url');
  };
  const hold = () => {
    gate.promise = new Promise((resolve) => {
      gate.open = resolve;
    });
  };
  return { copilot, directory, seen, next, call, begin, hold, gate, leave };
}

test('the person is shown what to do, everything else is answered meanwhile, and the login is kept', async () => {
  const { copilot, directory, seen, next, call, begin, hold, gate } = await openHost();
  copilot.polls = [{ error: 'authorization_pending' }, { error: 'slow_down' }, { access_token: 'long-lived' }];
  hold();
  expect(await begin('l')).toMatchObject({
    type: 'extension_ui_request',
    method: 'open_url',
    url: 'https://example.test/device',
    instructions: 'Enter the code ABCD-1234',
  });
  expect(await call('1', 'get_state')).toMatchObject({ success: true });
  expect(await call('2', 'set_session_name', { name: 'meanwhile' })).toMatchObject({ success: true });
  expect(seen.some(({ id }) => id === 'l')).toBe(false);
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
  expect(JSON.stringify(seen)).toContain('github-copilot');
  expect(JSON.stringify(seen)).not.toMatch(/short-lived|long-lived/);
});

test.each([
  ['access_denied', 'The login was refused.'],
  ['expired_token', 'The code has expired. Begin the login again.'],
])('%s ends it in words, and nothing is kept', async (reason, error) => {
  const { copilot, next, call, begin } = await openHost();
  copilot.polls = [{ error: reason }];
  await begin('l');
  expect(await next(({ id }) => id === 'l')).toMatchObject({ command: 'login', success: false, error });
  expect(await call('1', 'get_login_providers')).toMatchObject({ data: { providers: [{ authenticated: false }] } });
});

test('a host that goes away ends the waiting', async () => {
  const { begin, hold, leave } = await openHost();
  hold();
  await begin('l');
  await leave();
});
