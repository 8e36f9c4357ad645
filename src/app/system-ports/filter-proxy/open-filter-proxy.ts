// The HTTP proxy of sandboxed commands: it connects only to what the policy allows. Every request of a connection is checked.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FilterProxy, FilterProxyOptions, OpenFilterProxy, ProxyTarget } from '../../../contracts/filter-proxy.ts';
import { IDLE_TIMEOUT_MS, openTunnel, type Track } from './connect.ts';
import { formatError, sendError, toPrintable } from './error-response.ts';
import { forwardRequest } from './forward-request.ts';
import { formatAuthority, parseAbsoluteUrl, parseAuthority } from './headers.ts';
import { createRouter, type FindRoute, type Lookup, ProxyError, type Route } from './route.ts';

const MAX_CONNECTIONS = 256;
const MAX_HEADER_BYTES = 32_768;
const TOKEN_TIMEOUT_MS = 10_000;
/** The length of the path of a unix socket is limited to 103 bytes on macOS and 107 on Linux. */
const MAX_SOCKET_PATH = 103;

export interface FilterProxyPorts {
  /** With the user's own proxy: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: the resolver of the system. */
  readonly lookup?: Lookup | undefined;
}

export function createOpenFilterProxy({ env, lookup }: FilterProxyPorts): OpenFilterProxy {
  return (options) => openFilterProxy(options, createRouter({ policy: options.policy, env, lookup }));
}

async function openFilterProxy(options: FilterProxyOptions, findRoute: FindRoute): Promise<FilterProxy> {
  const token = randomBytes(24).toString('base64url');
  const sockets = new Set<Socket>();
  const track: Track = (socket) => {
    sockets.add(socket);
    socket.unref();
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  const isSocket = options.listenOn === 'socket';
  const http = createRequestServer({ ...options, findRoute, track, token: isSocket ? undefined : token });
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: isSocket }, (socket) => {
    track(socket);
    const accept = () => void http.emit('connection', socket);
    if (isSocket) readToken(socket, token, accept);
    else accept();
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.unref();
  const directory = isSocket ? await makePrivateDirectory() : undefined;
  const removeDirectory = async () => {
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  };
  const socketPath = join(directory ?? '', 'proxy');
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(directory === undefined ? { host: '127.0.0.1', port: 0 } : { path: socketPath }, resolve);
    });
  } catch (thrown) {
    await removeDirectory();
    throw thrown;
  }
  return {
    token,
    address: directory === undefined ? { port: (server.address() as AddressInfo).port } : { socketPath },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await removeDirectory();
    },
  };
}

async function makePrivateDirectory(): Promise<string> {
  const name = 'parley-proxy-';
  const isShort = Buffer.byteLength(join(tmpdir(), `${name}123456`, 'proxy')) <= MAX_SOCKET_PATH;
  // mkdtemp creates it with mode 0700.
  return await mkdtemp(join(isShort ? tmpdir() : '/tmp', name));
}

/** Calls `onValid` if the first line is the token, and ends the connection otherwise. What follows stays in the socket. */
function readToken(socket: Socket, token: string, onValid: () => void): void {
  const expected = Buffer.from(`${token}\n`);
  let received = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < expected.length) return;
    socket.off('data', onData);
    if (!timingSafeEqual(received.subarray(0, expected.length), expected)) return void socket.destroy();
    socket.setTimeout(0);
    socket.removeListener('timeout', onTimeout);
    socket.pause();
    if (received.length > expected.length) socket.unshift(received.subarray(expected.length));
    onValid();
    socket.resume();
  };
  const onTimeout = () => socket.destroy();
  socket.setTimeout(TOKEN_TIMEOUT_MS, onTimeout);
  socket.once('end', () => received.length < expected.length && socket.destroy());
  socket.on('data', onData);
  socket.resume();
}

interface RequestScope extends FilterProxyOptions {
  readonly findRoute: FindRoute;
  readonly track: Track;
  /** For `Proxy-Authorization`. */
  readonly token: string | undefined;
}

function createRequestServer(scope: RequestScope): Server {
  const server = createHttpServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    request.on('error', () => {});
    response.on('error', () => {});
    answerRequest(request, response, scope).catch((thrown: unknown) => {
      request.resume();
      sendError(response, thrown);
    });
  });
  // A client that has sent its last request may end its direction before it gets the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.setTimeout(IDLE_TIMEOUT_MS, (socket) => socket.destroy());
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    answerConnect(request, socket, head, scope).catch((thrown: unknown) => socket.end(formatError(thrown)));
  });
  server.on('clientError', (error: Error, socket: Socket) => {
    if (socket.writable) socket.end(formatError(new ProxyError(400, `The request is invalid: ${error.message}`)));
    else socket.destroy();
  });
  return server;
}

async function answerRequest(request: IncomingMessage, response: ServerResponse, scope: RequestScope): Promise<void> {
  checkToken(request, scope.token);
  const parsed = parseAbsoluteUrl(request.url ?? '');
  if (!parsed) throw new ProxyError(400, 'This is a proxy: it needs CONNECT host:port or a URL like http://host/path');
  const route = await findAllowedRoute(parsed.target, 'http', scope);
  await forwardRequest(request, response, { ...parsed, route, track: scope.track });
}

async function answerConnect(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  scope: RequestScope,
): Promise<void> {
  checkToken(request, scope.token);
  const target = parseAuthority(request.url ?? '');
  if (!target) throw new ProxyError(400, 'CONNECT needs a host and a port');
  const route = await findAllowedRoute(target, 'https', scope);
  const outgoing = await openTunnel(route, target, scope.track);
  if (socket.destroyed) return void outgoing.destroy();
  socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) outgoing.write(head);
  relay(socket, outgoing);
  relay(outgoing, socket);
}

async function findAllowedRoute(target: ProxyTarget, scheme: 'http' | 'https', scope: RequestScope): Promise<Route> {
  try {
    return await scope.findRoute(target, scheme);
  } catch (thrown) {
    if (thrown instanceof ProxyError && thrown.status === 403) {
      scope.onRefused(toPrintable(formatAuthority(target)), toPrintable(thrown.message));
    }
    throw thrown;
  }
}

/** The bytes that were written before one side ended still arrive at the other. */
function relay(from: Socket, to: Socket): void {
  from.pipe(to);
  from.once('close', () => to.end(() => to.destroy()));
}

function checkToken({ headers }: IncomingMessage, token: string | undefined): void {
  if (token === undefined) return;
  const [, credentials = ''] = /^basic +([\w+/=-]+)$/i.exec(headers['proxy-authorization'] ?? '') ?? [];
  const [, password = ''] = /^[^:]*:(.*)$/.exec(Buffer.from(credentials, 'base64').toString()) ?? [];
  const [received, expected] = [Buffer.from(password), Buffer.from(token)];
  if (received.length === expected.length && timingSafeEqual(received, expected)) return;
  throw new ProxyError(407, 'The proxy of the sandbox needs the user name and password of HTTP_PROXY');
}
