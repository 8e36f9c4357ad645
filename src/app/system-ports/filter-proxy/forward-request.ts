// Forwards a plain HTTP request to the server of its URL, or to the user's own proxy.
import { type ClientRequest, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { ProxyTarget } from '../../../contracts/filter-proxy.ts';
import { connectToAddress, describeUpstream, IDLE_TIMEOUT_MS, requestUpstream, type Track } from './connect.ts';
import { createForwardHeaders, formatAuthority, removeConnectionHeaders } from './headers.ts';
import { ProxyError, type Route } from './route.ts';

export interface ForwardScope {
  readonly route: Route;
  readonly target: ProxyTarget;
  readonly path: string;
  readonly track: Track;
}

/**
 * Resolves when the response is complete, or when one side has ended the connection. Rejects with a ProxyError when there is no response.
 * Both messages are parsed and written again, so that client, proxy and server agree where a message ends.
 */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  scope: ForwardScope,
): Promise<void> {
  const outgoing = await openRequest(request, scope);
  const who = 'upstream' in scope.route ? describeUpstream(scope.route.upstream) : formatAuthority(scope.target);
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => {
      outgoing.destroy();
      if (response.headersSent) {
        response.destroy();
        resolve();
      } else reject(new ProxyError(502, `${who} did not answer: ${error.message}`));
    };
    outgoing.setTimeout(IDLE_TIMEOUT_MS, () => fail(new Error('no data in 10 minutes')));
    outgoing.once('error', fail);
    // Not offered by the proxy. The connection is not given to the client.
    outgoing.once('upgrade', () => fail(new Error('it changed the protocol')));
    outgoing.once('response', (incoming) => {
      try {
        response.writeHead(
          incoming.statusCode ?? 502,
          incoming.statusMessage,
          removeConnectionHeaders(incoming.rawHeaders),
        );
      } catch (thrown) {
        return fail(thrown as Error);
      }
      pipeline(incoming, response, (error) => (error ? fail(error) : resolve()));
    });
    response.once('close', () => {
      outgoing.destroy();
      resolve();
    });
    pipeline(request, outgoing, (error) => error && fail(error));
  });
}

async function openRequest(request: IncomingMessage, scope: ForwardScope): Promise<ClientRequest> {
  const { route, target, path, track } = scope;
  const method = request.method ?? 'GET';
  const headers = createForwardHeaders(request.rawHeaders, target);
  if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  if ('upstream' in route) {
    return requestUpstream(
      route.upstream,
      { method, path: `http://${formatAuthority(target)}${path}`, headers },
      track,
    );
  }
  const socket = await connectToAddress(route.addresses, target, track);
  // With an agent, Node would open another connection. The address is named again for a runtime that ignores createConnection.
  const { remoteAddress = '' } = socket;
  const to = { host: remoteAddress, port: target.port, createConnection: () => socket };
  return requestHttp({ ...to, method, path, headers, setHost: false });
}
