// A forward proxy on loopback: plain requests and CONNECT, with or without a password. All host names resolve to this machine.
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import { startHttpServer } from './http-server.ts';

export interface Forwarded {
  readonly how: 'forward' | 'tunnel';
  /** Host and port as the client wrote them. */
  readonly to: string;
}

export interface ForwardProxyOptions {
  /** Maps the port of a request to a port on this machine. */
  readonly ports: Readonly<Record<number, number>>;
  /** The required `user:password`. */
  readonly credentials?: string;
  /** Answers every request with this status and forwards none. */
  readonly refuse?: number;
}

export interface ForwardProxy {
  /** Host and port. */
  readonly address: string;
  readonly url: string;
  /** The forwarded requests, in order. */
  readonly forwarded: readonly Forwarded[];
  /** The number of requests that were answered with 407. */
  readonly unauthorized: () => number;
}

export async function startForwardProxy(options: ForwardProxyOptions): Promise<ForwardProxy> {
  const { ports, credentials, refuse } = options;
  const forwarded: Forwarded[] = [];
  let unauthorized = 0;
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  const statusOf = ({ headers }: IncomingMessage): number | undefined => {
    if (!expected || headers['proxy-authorization'] === expected) return refuse;
    unauthorized += 1;
    return 407;
  };
  const { server, url: ownUrl } = await startHttpServer((request, response) => {
    const status = statusOf(request);
    if (status) return void response.writeHead(status, { 'proxy-authenticate': 'Basic realm="x"' }).end('refused');
    const url = new URL(request.url ?? '');
    forwarded.push({ how: 'forward', to: url.host });
    forward(request, response, url, ports[Number(url.port || 80)]);
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const status = statusOf(request);
    if (status) return void socket.end(`HTTP/1.1 ${status} Refused\r\nproxy-authenticate: Basic realm="x"\r\n\r\n`);
    const to = request.url ?? '';
    forwarded.push({ how: 'tunnel', to });
    tunnel(socket, ports[Number(to.split(':').at(-1))]);
  });
  return { address: new URL(ownUrl).host, url: ownUrl, forwarded, unauthorized: () => unauthorized };
}

function forward(request: IncomingMessage, response: ServerResponse, url: URL, port: number | undefined): void {
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !name.startsWith('proxy-')));
  const path = url.pathname + url.search;
  const onward = httpRequest({ host: '127.0.0.1', port, path, method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.writeHead(502).end());
  request.pipe(onward);
}

function tunnel(socket: Duplex, port: number | undefined): void {
  const onward = connect(port ?? 0, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    onward.pipe(socket).pipe(onward);
  });
  socket.on('error', () => onward.destroy());
  onward.on('error', () => socket.destroy());
  onTestFinished(() => void socket.destroy());
}
