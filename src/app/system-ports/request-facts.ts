// Reads what decides about a request from the request of Node.
import type { IncomingMessage } from 'node:http';
import type { RequestFacts } from '../../http/index.ts';

/** `undefined` when the address of the request is not valid, or when it is not clear for which host it is. */
export function readRequestFacts(request: IncomingMessage): RequestFacts | undefined {
  const target = request.url ?? '/';
  // Not resolved as a relative address: `//name/ws` would then name another host.
  const isPath = target.startsWith('/');
  const address = isPath ? `http://localhost${target}` : target;
  if (!URL.canParse(address) || countHosts(request) > 1) return undefined;
  const { pathname: path, searchParams: query, host, protocol } = new URL(address);
  if (!isPath && (protocol !== 'http:' || host !== normalizeHost(request.headers.host))) return undefined;
  return {
    ...{ method: request.method ?? 'GET', path, query, remoteAddress: request.socket.remoteAddress ?? '' },
    header: (name) => [request.headers[name]].flat()[0],
  };
}

/** Node uses the first one; a proxy may have used another. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}

function normalizeHost(host = ''): string | undefined {
  return URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).host : undefined;
}
