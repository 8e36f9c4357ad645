// Starts `parley serve` for the bench, and requests garbage collections from outside.
// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { WebSocket } from 'ws';

/** NODE_EXTRA_CA_CERTS adds 50 to 90 ms to the start of Node, so it is removed. */
const { NODE_EXTRA_CA_CERTS: _removed, ...cleanEnvironment } = process.env;

/** @typedef {{ program: string, home: string, cwd: string, nodeFlags?: readonly string[] }} ServerOptions */

/** @param {ServerOptions} options */
export async function startServer({ program, home, cwd, nodeFlags = [] }) {
  const startedAt = performance.now();
  const flags = ['serve', '--port', '0', '--json', '--provider', 'own', '--model', 'bench', '--thinking', 'off'];
  const child = spawn(process.execPath, [...nodeFlags, program, ...flags], {
    cwd,
    env: { ...cleanEnvironment, HOME: home, PARLEY_DIR: home },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk;
  });
  const exited = once(child, 'exit');
  const line = await Promise.race([
    once(child.stdout, 'data').then(([chunk]) => String(chunk)),
    exited.then(() => Promise.reject(new Error(`The server did not start: ${stderr}`))),
  ]);
  const { url, token } = JSON.parse(line);
  return {
    startedAt,
    pid: /** @type {number} */ (child.pid),
    address: { url, token },
    /** Needs the flag --inspect. */
    collectGarbage: () => collectGarbage(/ws:\/\/\S+/.exec(stderr)?.[0] ?? ''),
    async end() {
      child.kill();
      await exited;
    },
  };
}

/** @param {string} inspector */
async function collectGarbage(inspector) {
  const socket = new WebSocket(inspector);
  await once(socket, 'open');
  // Two collections, because the first one only finds out what the finalizers keep.
  for (const id of [1, 2]) {
    socket.send(JSON.stringify({ id, method: 'HeapProfiler.collectGarbage' }));
    await once(socket, 'message');
  }
  socket.terminate();
}
