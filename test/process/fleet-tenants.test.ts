// Tenants of a fleet: a token gives access to the sessions of its tenant on every node, and to nothing else.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFleet, type Fleet } from '../support/fleet.ts';
import { runProgram } from '../support/program.ts';
import { type Server, stopServer } from '../support/server.ts';
import { connectWebSocket } from '../support/server-clients.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Runs `parley serve tokens` with the database. */
async function runTokens({ database, cwd }: Fleet, ...args: string[]) {
  const env = { PARLEY_DATABASE_URL: database.url };
  const { stdout, stderr, code } = await runProgram(['serve', 'tokens', ...args], '', {
    env,
    directories: { home: cwd, cwd },
  });
  return { text: stdout.trim(), stderr, code };
}

async function addToken(fleet: Fleet, tenant: string, name: string, ...flags: string[]): Promise<string> {
  const { text, stderr } = await runTokens(fleet, 'add', name, '--tenant', tenant, ...flags);
  expect(stderr).toBe('');
  return text;
}

async function createSession(node: Server, token: string): Promise<string> {
  const { json, text } = await node.request('/v1/sessions', { method: 'POST', body: {}, token });
  const id = (json as { data?: { sessionId: string } }).data?.sessionId;
  if (id === undefined) throw new Error(text);
  return id;
}

const prompt = (node: Server, token: string, id: string, message: string) =>
  node.request(`/v1/sessions/${id}/commands/prompt?wait=settled`, { method: 'POST', body: { message }, token });

async function listIds(node: Server, token?: string): Promise<string[]> {
  const { json } = await node.request('/v1/sessions', token === undefined ? {} : { token });
  return (json as { data: { sessions: { id: string }[] } }).data.sessions.map(({ id }) => id);
}

describe('a token', () => {
  test('uses the sessions of its tenant on all nodes, and no others', async () => {
    const fleet = await createFleet();
    const [first, second] = await Promise.all([fleet.startNode(), fleet.startNode()]);
    const [a, b, reader] = [
      await addToken(fleet, 'a', 'bot'),
      await addToken(fleet, 'b', 'bot'),
      await addToken(fleet, 'a', 'dashboard', '--read-only'),
    ];
    fleet.provider.add({ text: 'for a' }, { text: 'for b' }, { text: 'for a again' });
    const [ofA, ofB] = [await createSession(first, a), await createSession(second, b)];
    expect(await prompt(first, a, ofA, 'one')).toMatchObject({ status: 200 });
    expect(await prompt(second, b, ofB, 'two')).toMatchObject({ status: 200 });
    // Also on the node that has not opened it.
    expect(await prompt(second, a, ofA, 'three')).toMatchObject({ status: 200 });
    for (const node of [first, second]) {
      expect(await listIds(node, a)).toEqual([ofA]);
      expect(await listIds(node, reader)).toEqual([ofA]);
      expect(await listIds(node, b)).toEqual([ofB]);
      expect(await listIds(node)).toEqual([]);
      for (const path of [
        `/v1/sessions/${ofA}`,
        `/v1/sessions/${ofA}/events`,
        `/v1/sessions/${ofA}/export`,
        `/v1/sessions/${ofA}/dialogs`,
      ])
        for (const token of [b, undefined])
          expect([path, (await node.request(path, token === undefined ? {} : { token })).status]).toEqual([path, 404]);
      expect(await prompt(node, b, ofA, 'stolen')).toMatchObject({ status: 404 });
    }
    expect(await prompt(first, reader, ofA, 'not allowed')).toMatchObject({ status: 403 });
    const deleted = await second.request(`/v1/sessions/${ofA}`, { method: 'DELETE', token: b });
    expect(deleted.status).toBe(404);
    expect(await listIds(first, a)).toEqual([ofA]);
  });

  test('that is removed is refused, and its connections end', async () => {
    const fleet = await createFleet();
    const node = await fleet.startNode();
    const token = await addToken(fleet, 'a', 'bot');
    const id = await createSession(node, token);
    const client = await connectWebSocket({ ...node, token }, { session: id });
    expect((await runTokens(fleet, 'list', '--tenant', 'a')).text).toMatch(/^name +access +created\nbot +full +\d{4}-/);
    expect((await runTokens(fleet, 'remove', 'bot', '--tenant', 'a')).text).toBe(
      'Removed bot. Its connections are ended.',
    );
    expect(await client.closed).toMatchObject({ code: 4401, reason: 'The token was removed.' });
    expect((await node.request('/v1/sessions', { token })).status).toBe(401);
    const again = await runTokens(fleet, 'remove', 'bot', '--tenant', 'a');
    expect(again).toMatchObject({ code: 2, text: '' });
    expect(again.stderr).toContain('Tenant a has no token with the name bot.');
  });

  test('of another tenant cannot change what belongs to the user of the server', async () => {
    const fleet = await createFleet();
    const node = await fleet.startNode();
    const token = await addToken(fleet, 'a', 'bot');
    const id = await createSession(node, token);
    const call = (command: string, body: object) =>
      node.request(`/v1/sessions/${id}/commands/${command}`, { method: 'POST', body, token });
    const settings = join(node.program.home, 'settings.json');
    expect(existsSync(settings)).toBe(false);
    const refused = [
      await call('set_settings', { scope: 'user', settings: { approval: 'full' } }),
      await node.request('/v1/commands/save_user_settings', {
        method: 'POST',
        body: { settings: { approval: 'full' } },
        token,
      }),
    ];
    for (const { text } of refused) expect(text).toContain('belongs to the user of the server. It cannot be changed');
    expect(existsSync(settings)).toBe(false);
    expect((await node.request('/metrics', { token })).status).toBe(403);
    // The token of the server can.
    expect(
      await node.call(await node.createSession(), 'set_settings', { scope: 'user', settings: { approval: 'full' } }),
    ).toMatchObject({ success: true });
    expect(readFileSync(settings, 'utf8')).toContain('full');
  });
});

test('the run of a tenant is continued by a node that has not used the tenant before', async () => {
  const fleet = await createFleet();
  const [first, second] = await Promise.all([fleet.startNode(), fleet.startNode()]);
  const token = await addToken(fleet, 'a', 'bot');
  const running = join(fleet.cwd, 'running');
  const command = `touch ${running}; exec sleep 1000`;
  fleet.provider.add({ calls: [{ name: 'bash', arguments: { command } }] }, { text: 'continued' });
  const id = await createSession(first, token);
  void prompt(first, token, id, 'go').catch(() => {});
  await waitUntil(() => existsSync(running));
  await stopServer(first, 'SIGKILL');
  const read = async () =>
    JSON.stringify(
      (await second.request(`/v1/sessions/${id}/commands/get_messages`, { method: 'POST', body: {}, token })).json,
    );
  await waitUntil(async () => (await read()).includes('continued'));
  expect(await read()).toContain('Interrupted');
});

test('tokens of a database need a valid name and tenant', async () => {
  const fleet = await createFleet();
  writeFileSync(join(fleet.cwd, 'unused'), '');
  expect((await runTokens(fleet, 'add', 'no spaces')).stderr).toContain('Invalid name: no spaces.');
  expect((await runTokens(fleet, 'add', 'owner')).stderr).toContain('owner is the name of the main token.');
  expect((await runTokens(fleet, 'list', '--tenant', 'a b')).stderr).toContain('--tenant');
  expect((await runTokens(fleet, 'list')).text).toContain('There are no named tokens.');
  expect((await runTokens(fleet, 'add', 'x', '--tenant', 'a')).code).toBe(0);
  expect((await runTokens(fleet, 'add', 'x', '--tenant', 'a')).stderr).toContain(
    'Tenant a has a token with the name x already.',
  );
});
