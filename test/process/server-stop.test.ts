// Ends a server with a signal while commands run: the runs count as interrupted, and nothing new is started.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories } from '../support/program.ts';
import { OFFLINE, startServer, stopServer } from '../support/server.ts';
import { listSessionFiles, readEntries } from '../support/session-files.ts';
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
