// Opens connections to PostgreSQL and watches them: a connection whose server does not answer any more is closed, so that its
// statements fail and do not wait forever. The driver has no such limit.
import { connect, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { getErrorMessage, getSystemErrorCode } from '../../base/fault.ts';
import type { PostgresAddress, PostgresTarget, PostgresTls } from './postgres-target.ts';

export interface PostgresSocketOptions {
  readonly target: PostgresTarget;
  readonly connectTimeoutMs: number;
  /** How long a connection may be silent while a statement waits for its result. */
  getAnswerTimeoutMs(): number;
}

export interface PostgresSockets {
  /** Never rejects: the driver loses a connection whose socket cannot be created. It gets a socket that fails. */
  open(): Promise<Socket>;
  /** For a connection that must not be opened again now. */
  openFailing(): Promise<Socket>;
  /** Also those that the server does not close. */
  destroyAll(): void;
}

/** The silence is measured in steps, so that the time in which this process was suspended does not count. */
const CHECKS = 5;
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = 'S';

export function createPostgresSockets(options: PostgresSocketOptions): PostgresSockets {
  const opened = new Set<Socket>();
  let nextAddress = 0;

  async function open(): Promise<Socket> {
    const { addresses } = options.target;
    let problem: unknown;
    for (let attempts = 0; attempts < addresses.length; attempts += 1) {
      const address = addresses[nextAddress % addresses.length] as PostgresAddress;
      // Servers may answer and then refuse to be used, for example because they are replicas.
      nextAddress += 1;
      try {
        return watch(await openSocket(address, options), options);
      } catch (thrown) {
        problem = thrown;
      }
    }
    return createFailingSocket(problem);
  }

  return {
    async open() {
      const socket = await open();
      opened.add(socket);
      socket.once('close', () => opened.delete(socket));
      return socket;
    },
    async openFailing() {
      const problem = new Error('the connection of the transaction was closed');
      return createFailingSocket(Object.assign(problem, { code: 'CONNECTION_CLOSED' }));
    },
    destroyAll() {
      for (const socket of opened) socket.destroy();
    },
  };
}

async function openSocket(
  address: PostgresAddress,
  { target, connectTimeoutMs }: PostgresSocketOptions,
): Promise<Socket> {
  const socket = connect(address);
  const timer = setTimeout(() => {
    const problem = new Error(`no connection after ${connectTimeoutMs / 1000} s`);
    socket.destroy(Object.assign(problem, { code: 'CONNECT_TIMEOUT' }));
  }, connectTimeoutMs);
  try {
    await waitFor(socket, 'connect');
    socket.setNoDelay(true);
    if (!target.tls) return socket;
    if (!target.tls.isDirect && !(await isTlsOffered(socket))) {
      if (target.tls.isOptional) return socket;
      throw new Error('the server does not support TLS, which sslmode requires');
    }
    return await encryptSocket(socket, address, target.tls);
  } catch (problem) {
    socket.destroy();
    throw problem;
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects when the socket fails or is closed before. */
function waitFor(socket: Socket, event: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // The listener stays: an error that no one listens to would end the process.
    socket.on('error', reject);
    socket.once('close', () => reject(Object.assign(new Error('connection closed'), { code: 'ECONNRESET' })));
    socket.once(event, resolve);
  });
}

async function isTlsOffered(socket: Socket): Promise<boolean> {
  const answered = waitFor(socket, 'data');
  socket.write(SSL_REQUEST);
  const answer = (await answered) as Buffer;
  socket.pause();
  // More would have been inserted by someone on the way, before the encryption.
  if (answer.length !== 1) throw new Error('unexpected bytes before TLS');
  return answer.toString('latin1') === YES;
}

async function encryptSocket(socket: Socket, address: PostgresAddress, tls: PostgresTls): Promise<Socket> {
  const host = 'host' in address ? address.host : 'localhost';
  const encrypted = connectTls({
    ...tls.options,
    socket,
    host,
    ...(isIP(host) ? {} : { servername: host }),
    ...(tls.isDirect ? { ALPNProtocols: ['postgresql'] } : {}),
  });
  await waitFor(encrypted, 'secureConnect');
  return encrypted;
}

/** Fails when the driver listens to it. */
function createFailingSocket(problem: unknown): Socket {
  const socket = new Socket();
  const code = getSystemErrorCode(problem);
  // The error of several addresses of a host has no message.
  const message = getErrorMessage(problem) || `no connection${code ? ` (${code})` : ''}`;
  deferEnd(socket);
  socket.write = () => true;
  setImmediate(() => socket.destroy(Object.assign(new Error(message, { cause: problem }), code ? { code } : {})));
  return socket;
}

/**
 * The driver writes what it has collected in the next `setImmediate`. If the end of the connection is reported before, it never writes to
 * the next connection either, and statements that are sent between an error and the end are lost. So both are reported at once, later.
 */
function deferEnd(socket: Socket): void {
  const emit = socket.emit.bind(socket) as (...event: unknown[]) => boolean;
  let problem: unknown;
  socket.emit = (name: string | symbol, ...values: unknown[]) => {
    if (name === 'error') {
      problem = values[0];
      return true;
    }
    if (name !== 'close') return emit(name, ...values);
    setImmediate(() => {
      if (problem) emit('error', problem);
      // The driver rejects its statements only if the connection was closed without an error.
      emit('close', false);
    });
    return true;
  };
}

function watch(socket: Socket, { getAnswerTimeoutMs }: PostgresSocketOptions): Socket {
  const requests = new RequestCounter();
  let timer: NodeJS.Timeout | undefined;
  let [lastProgress, silentChecks] = [-1, 0];

  function plan(): void {
    timer ??= setTimeout(check, getAnswerTimeoutMs() / CHECKS).unref();
  }

  function check(): void {
    timer = undefined;
    if (!requests.isWaiting || socket.destroyed) return;
    const progress = socket.bytesRead + socket.bytesWritten - socket.writableLength;
    silentChecks = progress === lastProgress ? silentChecks + 1 : 0;
    lastProgress = progress;
    if (silentChecks < CHECKS) {
      plan();
      return;
    }
    const problem = new Error(`the server has not answered for ${getAnswerTimeoutMs() / 1000} s`);
    socket.destroy(Object.assign(problem, { code: 'ETIMEDOUT' }));
  }

  deferEnd(socket);
  const write = socket.write.bind(socket) as (...request: unknown[]) => boolean;
  socket.write = (...request: unknown[]) => {
    requests.addSent(request[0] as Uint8Array);
    plan();
    // Its end is reported in a moment.
    if (socket.destroyed) return true;
    return write(...request);
  };
  socket.on('data', (chunk: Buffer) => requests.addReceived(chunk));
  socket.once('close', () => clearTimeout(timer));
  return socket;
}

const HEADER_BYTES = 5;
const [QUERY, SYNC, PASSWORD, READY] = ['Q', 'S', 'p', 'Z'].map((letter) => letter.charCodeAt(0));

/** Follows the messages of a connection. Each `Query` and `Sync` is answered by a `ReadyForQuery` at last. */
class RequestCounter {
  /** The beginning of a connection is answered, too. */
  #expected = 1;
  #hasStarted = false;
  /** A message was sent whose `Sync` follows later. */
  #isOpen = false;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerLength = 0;
  #remaining = 0;

  get isWaiting(): boolean {
    return this.#isOpen || this.#expected > 0;
  }

  /** The driver writes whole messages. */
  addSent(bytes: Uint8Array): void {
    if (!this.#hasStarted) {
      // The first message has no type.
      this.#hasStarted = true;
      return;
    }
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + HEADER_BYTES <= chunk.length; at += 1 + chunk.readUInt32BE(at + 1)) {
      const type = chunk[at];
      if (type === PASSWORD) continue;
      this.#isOpen = type !== QUERY && type !== SYNC;
      if (!this.#isOpen) this.#expected += 1;
    }
  }

  addReceived(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const skipped = Math.min(this.#remaining, chunk.length - at);
      this.#remaining -= skipped;
      at += skipped;
      if (at === chunk.length) return;
      this.#header[this.#headerLength++] = chunk[at++] as number;
      if (this.#headerLength < HEADER_BYTES) continue;
      this.#headerLength = 0;
      this.#remaining = this.#header.readUInt32BE(1) - 4;
      if (this.#header[0] === READY) this.#expected = Math.max(0, this.#expected - 1);
    }
  }
}
