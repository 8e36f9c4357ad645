// Listens on a Unix socket that only the user can open.
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { Fault, getErrorMessage, getSystemErrorCode } from '../../base/index.ts';

export interface SocketListener {
  /** Accepts no more connections, and ends those that are open. Removes the socket. */
  close(): Promise<void>;
}

/** A path of a Unix socket cannot be longer, in bytes. */
const MAX_PATH_BYTES = 103;

export async function listenSocket(path: string, onConnection: (socket: Socket) => void): Promise<SocketListener> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new Fault('config', `The path of the socket is longer than ${MAX_PATH_BYTES} bytes: ${path}`);
  await removeStaleSocket(path);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // Without a listener an error would end the process.
    socket.on('error', () => {});
    onConnection(socket);
  });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await new Promise<void>((resolve, reject) => {
    // It stays after the start, because an error without a listener would end the process.
    server.on('error', (problem) => reject(createListenFault(path, problem)));
    // The socket is created by this call, without rights for others: a later chmod alone would leave a moment in which others can
    // connect. Only this call, because the mask holds for all files of the process.
    const mask = process.umask(0o177);
    try {
      server.listen(path, resolve);
    } finally {
      process.umask(mask);
    }
  });
  chmodSync(path, 0o600);
  const { ino } = lstatSync(path);
  return {
    async close() {
      if (lstatSync(path, { throwIfNoEntry: false })?.ino !== ino) {
        // Closing the server would remove what is at the path now: a file of the user, or the socket of another process.
        server.unref();
        for (const socket of open) socket.destroy();
        return;
      }
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** A socket that no process listens on was left by a process that was killed. Other files are never removed. */
async function removeStaleSocket(path: string): Promise<void> {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (!info) return;
  if (!info.isSocket()) throw new Fault('config', `${path} exists and is not a socket. Choose another path.`);
  const problem = await findConnectProblem(path);
  const code = problem && getSystemErrorCode(problem);
  // EAGAIN: a process listens, but is too busy to accept a connection.
  if (!problem || code === 'EAGAIN')
    throw new Fault('config', `Another process listens on ${path} already. Choose another path.`);
  if (code !== 'ECONNREFUSED' && code !== 'ENOENT') throw createListenFault(path, problem);
  rmSync(path, { force: true });
}

/** `undefined`: a process listens there. */
function findConnectProblem(path: string): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const finish = (problem?: Error) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => finish());
    socket.once('error', finish);
  });
}

function createListenFault(path: string, problem: Error): Fault {
  return new Fault('config', `Cannot listen on ${path}: ${getErrorMessage(problem)}`);
}
