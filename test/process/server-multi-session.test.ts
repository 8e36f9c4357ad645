// Clients of `parley serve` that have several sessions on one connection.
import { describe, expect, test } from 'vitest';
import { startServer } from '../support/server.ts';
import { connectWebSocket, type ServerClient } from '../support/server-clients.ts';

/** Sends a request of JSON-RPC and returns the response. */
async function request(client: ServerClient, id: number, method: string, params: object) {
  client.send({ jsonrpc: '2.0', id, method, params });
  return client.next((frame) => frame.id === id && frame.method === undefined);
}

const DIALECTS = {
  async opal(client: ServerClient) {
    const open = async (id: number) => {
      const { result } = await request(client, id, 'session/start', { session: true });
      return (result as { session_id: string }).session_id;
    };
    const use = (id: number, session_id: string) => request(client, id, 'agent/state', { session_id });
    return { open, use };
  },
  async acp(client: ServerClient) {
    await request(client, 1, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
    const open = async (id: number) => {
      const { result } = await request(client, id, 'session/new', { cwd: '/tmp', mcpServers: [] });
      return (result as { sessionId: string }).sessionId;
    };
    const use = (id: number, sessionId: string) => request(client, id, '_parley/get_state', { sessionId });
    return { open, use };
  },
};

describe.each(['opal', 'acp'] as const)('a client of %s', (dialect) => {
  test('cannot name a session, a position or a directory in its address', async () => {
    const server = await startServer();
    for (const name of ['session', 'after', 'cwd']) {
      const { closed } = await connectWebSocket(server, { dialect, [name]: '0' });
      expect(await closed).toMatchObject({ code: 4400, reason: expect.stringContaining(`leave out ${name}`) });
    }
  });

  test.each([
    ['closed', 'POST', '/close'],
    ['deleted', 'DELETE', ''],
  ])('stays connected when one of its sessions is %s', async (_, method, path) => {
    const server = await startServer();
    const client = await connectWebSocket(server, { dialect });
    const { open, use } = await DIALECTS[dialect](client);
    const [ended, kept] = [await open(2), await open(3)];
    expect((await server.request(`/v1/sessions/${ended}${path}`, { method })).status).toBe(200);
    if (dialect === 'opal')
      expect(await client.next({ method: 'agent/event' })).toMatchObject({
        params: { session_id: ended, type: 'error', reason: expect.stringContaining('The session was') },
      });
    expect(await use(4, ended)).toMatchObject({ error: { message: expect.stringContaining('not found') } });
    expect(await use(5, kept)).toHaveProperty('result');
    const { json } = await server.request(`/v1/sessions/${kept}`);
    expect(json).toMatchObject({ data: { clients: [`${dialect}-1`] } });
  });
});

test('a client of pi-legacy cannot name a position, because its events have no numbers', async () => {
  const server = await startServer();
  const session = await server.createSession();
  const { closed, frames } = await connectWebSocket(server, { dialect: 'pi-legacy', session, after: '1' });
  expect(await closed).toMatchObject({ code: 4400, reason: expect.stringContaining('leave out after') });
  expect(frames).toEqual([]);
});
