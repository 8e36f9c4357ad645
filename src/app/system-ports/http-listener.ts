// Listens for HTTP requests and WebSockets on a TCP port.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Fault, getSystemErrorCode } from '../../base/index.ts';
import { answerInTurn } from './answer-in-turn.ts';
import { createRefusalHeaders, formatRefusalBody, type RawRefusal, sendRefusal } from './raw-response.ts';

export interface HttpListenerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Further connections are closed at once. */
  readonly maxConnections: number;
  /** For tests. */
  readonly timeouts?: RequestTimeouts;
  onRequest: RequestListener;
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
}

export interface HttpListener {
  readonly port: number;
  /** Accepts no more connections, and ends those that are open. */
  close(): Promise<void>;
}

/** In milliseconds. */
interface RequestTimeouts {
  /** A request must be received within this time. Responses may take longer. */
  readonly requestTimeout: number;
  readonly headersTimeout: number;
  /** How often the two are checked. */
  readonly connectionsCheckingInterval: number;
  /** A connection is ended when no byte of a waiting response is read for this time, or when nothing is requested. */
  readonly stalledTimeout: number;
}

const TIMEOUTS: RequestTimeouts = {
  requestTimeout: 60_000,
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5000,
  stalledTimeout: 60_000,
};

const LOOPBACK_ADDRESS = /^(127\.|::1$)/;

/** How long responses and WebSockets that are open may take to end. */
const END_MS = 1000;

export async function listenHttp(options: HttpListenerOptions): Promise<HttpListener> {
  const { host, port, maxConnections, timeouts = TIMEOUTS, onRequest, onUpgrade } = options;
  const { stalledTimeout, ...requestTimeouts } = timeouts;
  // Node 20 does not know the option: there the listener for upgrades refuses them.
  const upgradeOptions = { shouldUpgradeCallback: isWebSocketUpgrade };
  const server = createServer({ ...requestTimeouts, ...upgradeOptions }, answerInTurn(onRequest));
  server.maxConnections = maxConnections;
  endStalledConnections(server, stalledTimeout);
  refuseInvalidRequests(server);
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.on('upgrade', (request, socket: Duplex, head) => {
    // Without a listener an error would end the process.
    socket.on('error', () => socket.destroy());
    if (!isWebSocketUpgrade(request)) {
      sendRefusal(socket, describeUpgrade(request));
      return;
    }
    onUpgrade(request, socket, head).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    // It stays after the start, because an error without a listener would end the process.
    server.on('error', (problem) => reject(describeProblem(problem, host, port)));
    server.listen(port, host, resolve);
  });
  const { address, port: boundPort } = server.address() as AddressInfo;
  // The name can be given another address, for example in /etc/hosts.
  if (host === 'localhost' && !LOOPBACK_ADDRESS.test(address)) {
    server.close();
    throw new Fault('config', `localhost is ${address} here, which is not a loopback address. Use --host 127.0.0.1.`);
  }
  return {
    port: boundPort,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Event streams and WebSockets send why they end. A client that does not read is not waited for.
      const idle = setInterval(() => server.closeIdleConnections(), 10);
      const end = setTimeout(() => {
        for (const socket of open) socket.destroy();
      }, END_MS);
      await closed;
      clearInterval(idle);
      clearTimeout(end);
    },
  };
}

/** Some HTTP clients offer HTTP/2 (h2c) with each request. The offer may be ignored. */
function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

function describeUpgrade({ headers }: IncomingMessage): RawRefusal {
  const message = `The header Upgrade: ${JSON.stringify(headers.upgrade)} is not supported. Send the request without it.`;
  return { status: 400, code: 'invalid_params', message };
}

/** Without this, a client that does not read would keep its connection forever. A response that has nothing to send yet may wait. */
function endStalledConnections(server: Server, stalledTimeout: number): void {
  const waiting = new WeakMap<Socket, number>();
  const count = (socket: Socket, difference: number) => waiting.set(socket, (waiting.get(socket) ?? 0) + difference);
  server.on('request', ({ socket }, response) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  });
  server.setTimeout(stalledTimeout, (socket) => {
    if ((waiting.get(socket) ?? 0) === 0 || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(stalledTimeout);
  });
}

const STATUS_OF_PROBLEMS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Requests that Node refuses itself get the same headers and body as all others. */
function refuseInvalidRequests(server: Server): void {
  server.on(
    'clientError',
    (
      problem: Error & { readonly code?: string },
      socket: Socket & { _httpMessage?: { readonly headersSent: boolean } },
    ) => {
      // A response that has begun cannot be replaced.
      if (!socket.writable || socket._httpMessage?.headersSent) {
        socket.destroy();
        return;
      }
      const status = STATUS_OF_PROBLEMS[problem.code ?? ''] ?? 400;
      sendRefusal(socket, { status, code: 'invalid_params', message: `The request is not valid: ${problem.message}.` });
    },
  );
  server.on('checkExpectation', (_request, response) => {
    const message = 'Only the expectation 100-continue is supported.';
    const refusal = { status: 417, code: 'invalid_params', message };
    response.writeHead(refusal.status, createRefusalHeaders(refusal)).end(formatRefusalBody(refusal));
  });
}

function describeProblem(problem: Error, host: string, port: number): Fault {
  const code = getSystemErrorCode(problem);
  if (code === 'EADDRINUSE')
    return new Fault(
      'config',
      `Port ${port} of ${host} is in use. Is a server running already? Choose another --port.`,
    );
  if (code === 'EACCES')
    return new Fault('config', `Port ${port} of ${host} needs more rights. Choose another --port.`);
  return new Fault('config', `Cannot listen on ${host}, port ${port}: ${problem.message}`);
}
