// A server closes sessions that are not used, and opens them again unchanged. Work in progress is use, also without a client.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories } from '../support/program.ts';
import { OFFLINE, type Server, startServer, stopServer } from '../support/server.ts';
import { connectWebSocket } from '../support/server-clients.ts';
import { waitUntil } from '../support/wait-until.ts';

const IDLE = [...OFFLINE, '--set', 'serve.idleMinutes=0.01'];
/** Ends when the test creates the file `go`. */
const WAITING = 'until [ -e go ]; do sleep 0.05; done; echo finished';

async function countOpen({ request }: Server): Promise<number> {
  const { text } = await request('/metrics');
  return Number(/^parley_sessions_open (\d+)$/m.exec(text)?.[1]);
}

test('an idle session is closed, and comes back with its messages, choices and numbers', async () => {
  const server = await startServer(IDLE);
  const id = await server.createSession({ tools: ['read'] });
  await server.request(`/v1/sessions/${id}/commands/prompt?wait=settled`, {
    method: 'POST',
    body: { message: 'say `hello`' },
  });
  const before = await server.call(id, 'get_messages');
  const client = await connectWebSocket(server, { session: id });
  const { seq } = await client.next({ type: 'session_attached' });
  client.close();
  await waitUntil(async () => (await countOpen(server)) === 0);
  expect(await server.call(id, 'get_messages')).toEqual(before);
  const again = await connectWebSocket(server, { session: id, after: String(seq) });
  await again.call({ type: 'set_session_name', name: 'back' });
  expect(again.frames.map(({ type }) => type)).toEqual([
    'ready',
    'session_attached',
    'session_info_changed',
    'state_changed',
    'response',
  ]);
  const { tools } = (await server.call(id, 'get_context_breakdown')).data as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(['read']);
});

test('a command of the user is not stopped because its session seems idle', async () => {
  const directories = createDirectories();
  const server = await startServer(IDLE, { directories });
  const overHttp = await server.createSession();
  const path = `/v1/sessions/${overHttp}/commands/bash?wait=settled`;
  const response = server.request(path, { method: 'POST', body: { command: WAITING } });
  const overSocket = await server.createSession();
  const client = await connectWebSocket(server, { session: overSocket });
  client.send({ type: 'bash', command: WAITING });
  await client.call({ type: 'get_state' });
  client.close();
  await client.closed;
  // Closed in the search in which the other two would be closed, too, because they are older.
  await server.call(await server.createSession(), 'set_session_name', { name: 'unused' });
  await waitUntil(async () => (await countOpen(server)) < 3);
  writeFileSync(join(directories.cwd, 'go'), '');
  expect((await response).json).toMatchObject({ data: { output: 'finished\n', cancelled: false } });
  const readMessages = async () => JSON.stringify(await server.call(overSocket, 'get_messages'));
  await waitUntil(async () => (await readMessages()).includes('bashExecution'));
  expect(await readMessages()).toContain('"cancelled":false');
});

test('a session without a message survives a close and a crash, with its directory', async () => {
  const directories = createDirectories();
  const server = await startServer(IDLE, { directories });
  const id = await server.createSession({ cwd: '/' });
  await waitUntil(async () => (await countOpen(server)) === 0);
  expect(await server.request(`/v1/sessions/${id}`)).toMatchObject({ status: 200, json: { data: { cwd: '/' } } });
  const second = await server.createSession({ cwd: '/' });
  await stopServer(server, 'SIGKILL');
  const again = await startServer(OFFLINE, { directories });
  expect(await again.request(`/v1/sessions/${second}`)).toMatchObject({ status: 200, json: { data: { cwd: '/' } } });
});

test('a session that is not stored is not closed', async () => {
  const server = await startServer(IDLE);
  const unstored = await server.createSession({ persist: false });
  await server.call(unstored, 'set_session_name', { name: 'kept' });
  // Closed in the search in which the other one would be closed, too, because it is older.
  await server.createSession();
  await waitUntil(async () => (await countOpen(server)) < 2);
  expect(await server.call(unstored, 'get_state')).toMatchObject({ data: { sessionName: 'kept' } });
});
