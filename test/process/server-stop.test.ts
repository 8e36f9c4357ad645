// Ends a server with a signal while commands run: the runs count as interrupted, and nothing new is started.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories } from '../support/program.ts';
import { OFFLINE, startServer, stopServer } from '../support/server.ts';
import { connectWebSocket } from '../support/server-clients.ts';
import { listPaths, listSessionFiles, readEntries } from '../support/session-files.ts';
import { waitUntil } from '../support/wait-until.ts';

const RUNNING = 'echo started > running; exec sleep 1000';

test.each(['SIGTERM', 'SIGINT'] as const)('a run whose command was ended by %s can be continued', async (signal) => {
  const directories = createDirectories();
  const server = await startServer(OFFLINE, { directories });
  const id = await server.createSession();
  await server.call(id, 'prompt', { message: `run \`${RUNNING}\`` });
  await waitUntil(() => existsSync(join(directories.cwd, 'running')));
  await stopServer(server, signal);
  const file = listSessionFiles(directories.home).find((path) => path.includes('/sessions/')) ?? '';
  expect(readEntries(file).at(-1)).toMatchObject({
    type: 'message',
    message: { role: 'assistant', stopReason: 'toolUse' },
  });
  const restarted = await startServer(OFFLINE, { directories });
  expect(await restarted.call(id, 'get_state')).toMatchObject({ data: { isInterrupted: true, isSettled: true } });
  expect(await restarted.call(id, 'continue_run')).toMatchObject({ success: true });
});

test('a run that waits for an approval can be continued', async () => {
  const options = { directories: createDirectories() };
  const args = [...OFFLINE, '--approval-mode', 'always'];
  const server = await startServer(args, options);
  const id = await server.createSession();
  const client = await connectWebSocket(server, { session: id });
  client.send({ type: 'prompt', message: 'run `echo hi`' });
  await client.next({ type: 'extension_ui_request' });
  await stopServer(server);
  const restarted = await startServer(args, options);
  expect(await restarted.call(id, 'get_state')).toMatchObject({ data: { isInterrupted: true } });
  const again = await connectWebSocket(restarted, { session: id });
  again.send({ type: 'continue_run' });
  const { message } = await again.next({ type: 'message_end' });
  expect(JSON.stringify(message)).toContain('Interrupted: the program ended before this tool call was finished');
});

const isChoices = (path: string) => path.endsWith('/choices.json');

const EXTENSION = `export default function (api) {
  api.on('tool_execution_start', async () => api.setActiveTools(['bash', 'read']));
  api.on('session_shutdown', async () => api.appendEntry('ended', { isLast: true }));
}`;

test.each(['SIGTERM', 'SIGKILL'] as const)('what an extension chose in a run counts after %s', async (signal) => {
  const directories = createDirectories();
  mkdirSync(join(directories.home, 'extensions'), { recursive: true });
  writeFileSync(join(directories.home, 'extensions', 'own.ts'), EXTENSION);
  const server = await startServer(OFFLINE, { directories });
  const id = await server.createSession();
  await server.call(id, 'prompt', { message: `run \`echo first\`, then run \`${RUNNING}\`` });
  await waitUntil(() => existsSync(join(directories.cwd, 'running')));
  // Without a signal that can be handled, what was stored during the run counts.
  if (signal === 'SIGKILL') await waitUntil(() => listPaths(directories.home).some(isChoices));
  await stopServer(server, signal);
  const file = listSessionFiles(directories.home).find((path) => path.includes('/sessions/')) ?? '';
  const hasEntry = readEntries(file).some((entry) => 'customType' in entry && entry.customType === 'ended');
  expect(hasEntry).toBe(signal === 'SIGTERM');
  const restarted = await startServer(OFFLINE, { directories });
  const { tools } = (await restarted.call(id, 'get_context_breakdown')).data as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name).sort()).toEqual(['bash', 'read']);
});

test('a client that waits for a run gets a reply, and clients that read nothing do not delay the end', async () => {
  const server = await startServer(OFFLINE);
  const id = await server.createSession();
  const waiting = server.request(`/v1/sessions/${id}/commands/prompt?wait=settled`, {
    method: 'POST',
    body: { message: `run \`${RUNNING}\`` },
  });
  await waitUntil(async () => JSON.stringify(await server.call(id, 'get_state')).includes('"isSettled":false'));
  await stopServer(server);
  expect(await waiting).toMatchObject({ status: 200, json: { success: true } });
});
