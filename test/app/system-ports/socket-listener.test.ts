// A Unix socket is only replaced when no process listens on it any more.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listenSocket } from '../../../src/app/system-ports/socket-listener.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

/** Resolves to the code of the error, or to `undefined` if the connection is open. */
async function connect(path: string): Promise<string | undefined> {
  const socket = createConnection(path);
  onTestFinished(() => void socket.destroy());
  const failure = once(socket, 'error').then(([problem]) => problem.code as string);
  return Promise.race([failure, once(socket, 'connect').then(() => undefined)]);
}

test('the socket of a process that accepts no connection at the moment is kept', async () => {
  const path = join(createTemporaryDirectory(), 's');
  const script = `require('net').createServer().listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => console.log('ready'))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  let code: string | undefined;
  for (let count = 0; count < 10 && code === undefined; count++) code = await connect(path);
  expect(code).not.toBe('ECONNREFUSED');
  await expect(listenSocket(path, () => {})).rejects.toThrow(`Another process listens on ${path} already.`);
  expect(existsSync(path)).toBe(true);
});
