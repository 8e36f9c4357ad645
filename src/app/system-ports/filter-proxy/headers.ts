// Targets and headers of requests to the filter proxy.
import type { ProxyTarget } from '../../../contracts/filter-proxy.ts';

/** Headers that belong to one connection. `Expect` is answered by the proxy itself. */
const CONNECTION_HEADERS = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** `[::1]:443`, `example.com:443`, `example.com`. `undefined` if it is nothing of this kind. */
export function parseAuthority(text: string, defaultPort?: number): ProxyTarget | undefined {
  const [, host = '', digits] = /^(\[[^\][]*\]|[^:\][]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? defaultPort : Number(digits);
  return host !== '' && port !== undefined && port >= 1 && port <= 65535 ? { host, port } : undefined;
}

/** The target and the path of a request like `GET http://example.com/path`. User names and other schemes are not accepted. */
export function parseAbsoluteUrl(url: string): { target: ProxyTarget; path: string } | undefined {
  const [, authority = '', rest = ''] = /^http:\/\/([^/?#\\@]+)([/?][^#\\]*)?$/i.exec(url) ?? [];
  const target = parseAuthority(authority, 80);
  return target && { target, path: rest.startsWith('/') ? rest : `/${rest}` };
}

export function formatAuthority({ host, port }: ProxyTarget): string {
  return port === 80 ? host : `${host}:${port}`;
}

/** `rawHeaders` without those that belong to one connection, also without those that `Connection` names. */
export function removeConnectionHeaders(rawHeaders: readonly string[]): string[] {
  const pairs = listPairs(rawHeaders);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(',')
        .map((part) => part.trim()),
    );
  const isRemoved = (name: string) =>
    CONNECTION_HEADERS.has(name) || (named.includes(name) && name !== 'content-length');
  return pairs.filter(([name]) => !isRemoved(name.toLowerCase())).flat();
}

/** For the server of the target: the URL decides about the host, whatever the client has sent in `Host`. */
export function createForwardHeaders(rawHeaders: readonly string[], target: ProxyTarget): string[] {
  const pairs = listPairs(removeConnectionHeaders(rawHeaders)).filter(([name]) => name.toLowerCase() !== 'host');
  return ['Host', formatAuthority(target), 'Connection', 'close', ...pairs.flat()];
}

function listPairs(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []));
}
