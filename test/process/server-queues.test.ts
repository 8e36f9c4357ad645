// Queued messages of a session of `parley serve` after the server was killed.
import { expect, test } from 'vitest';
import { createDirectories } from '../support/program.ts';
import { OFFLINE, startServer, stopServer } from '../support/server.ts';
import { connectWebSocket } from '../support/server-clients.ts';

test('a snapshot contains the messages that an earlier process has queued', async () => {
  const directories = createDirectories();
  const server = await startServer(OFFLINE, { directories });
  const session = await server.createSession();
  const client = await connectWebSocket(server, { session });
  client.send({ type: 'prompt', message: 'run `sleep 1000`' });
  await client.next({ type: 'tool_execution_start' });
  expect(await client.call({ type: 'follow_up', message: 'later' })).toMatchObject({ success: true });
  expect(await client.call({ type: 'steer', message: 'now' })).toMatchObject({ success: true });
  await stopServer(server, 'SIGKILL');

  const again = await startServer(OFFLINE, { directories });
  const returned = await connectWebSocket(again, { session, after: '0' });
  expect(await returned.next({ type: 'session_snapshot' })).toMatchObject({
    queues: { steering: ['now'], followUp: ['later'] },
  });
});
