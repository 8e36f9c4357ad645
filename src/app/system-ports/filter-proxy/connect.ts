// Opens the outgoing connections of the filter proxy.
import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect, type Socket } from 'node:net';
import { getErrorMessage } from '../../../base/fault.ts';
import type { ProxyTarget } from '../../../contracts/filter-proxy.ts';
import { ProxyError, type Route, type Upstream } from './route.ts';

const CONNECT_TIMEOUT_MS = 30_000;
/** A connection without data in either direction is ended. */
export const IDLE_TIMEOUT_MS = 600_000;

/** Registers a connection, so that it ends with the proxy. */
export type Track = (socket: Socket) => void;

/** A connection on which the bytes of a tunnel can be sent. */
export function openTunnel(route: Route, target: ProxyTarget, track: Track): Promise<Socket> {
  return 'upstream' in route
    ? connectThroughUpstream(route.upstream, target, track)
    : connectToAddress(route.addresses, target, track);
}

/** Tries the addresses in order. The name is not looked up again: it could resolve to another address than the checked ones. */
export async function connectToAddress(
  addresses: readonly string[],
  { host, port }: ProxyTarget,
  track: Track,
): Promise<Socket> {
  let failure = new ProxyError(502, `${host} has no address`);
  for (const address of addresses) {
    try {
      return await connectOnce(address, port, track);
    } catch (thrown) {
      failure = new ProxyError(502, `${host}:${port} cannot be reached: ${getErrorMessage(thrown)}`);
    }
  }
  throw failure;
}

function connectOnce(address: string, port: number, track: Track): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Half-open, because the client may end its direction first.
    const socket = connect({ host: address, port, allowHalfOpen: true });
    track(socket);
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error(`no connection to ${address} in 30 s`)));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('connection closed')));
    socket.once('connect', () => {
      socket.removeAllListeners('timeout');
      socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
      resolve(socket);
    });
  });
}

/** A request to the user's own proxy, with its password. */
export function requestUpstream(
  { url, token }: Upstream,
  options: { method: string; path: string; headers: readonly string[] },
  track: Track,
): ClientRequest {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    method: options.method,
    path: options.path,
    agent: false,
    setHost: false,
    headers: [...options.headers, ...(token === undefined ? [] : ['Proxy-Authorization', token])],
  });
  request.once('socket', track);
  return request;
}

function connectThroughUpstream(upstream: Upstream, target: ProxyTarget, track: Track): Promise<Socket> {
  const authority = `${target.host}:${target.port}`;
  return new Promise((resolve, reject) => {
    const request = requestUpstream(
      upstream,
      { method: 'CONNECT', path: authority, headers: ['Host', authority] },
      track,
    );
    const name = describeUpstream(upstream);
    const refuse = (status = 0) =>
      reject(new ProxyError(502, `${name} refused a connection to ${authority} (${status})`));
    request.setTimeout(CONNECT_TIMEOUT_MS, () => request.destroy(new Error('no answer in 30 s')));
    request.once('connect', ({ statusCode }, socket: Socket, head) => {
      if (statusCode !== 200) {
        socket.destroy();
        return refuse(statusCode);
      }
      if (head.length > 0) socket.unshift(head);
      socket.removeAllListeners('timeout');
      socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
      resolve(socket);
    });
    request.once('response', (response) => {
      response.destroy();
      refuse(response.statusCode);
    });
    request.once('error', (error) => reject(new ProxyError(502, `${name} cannot be reached: ${error.message}`)));
    request.end();
  });
}

/** Without user name and password. */
export function describeUpstream({ url, variable }: Upstream): string {
  return `The proxy ${url.host} (${variable})`;
}
