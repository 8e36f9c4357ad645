// Addresses of the user's HTTP proxies, as in HTTP_PROXY.
import { Fault } from '../../base/fault.ts';

/** A proxy and the variable that names it. */
export interface ProxyVariable {
  readonly variable: string;
  readonly address: string;
}

export interface Proxies {
  /** For `http:` requests. */
  readonly http: ProxyVariable | undefined;
  /** For `https:` requests. */
  readonly https: ProxyVariable | undefined;
  readonly noProxy: string;
}

/** The error names the variable and not its value, which may hold a password. */
export function parseProxyAddress({ variable, address }: ProxyVariable): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  const remedy = 'write it like http://host:port (SOCKS is not supported)';
  throw new Fault('config', `${variable} names a proxy that cannot be used: ${remedy}`);
}

/** The value of `Proxy-Authorization`, if the address contains a user name or a password. */
export function createProxyToken({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${decodePercentEncoding(username)}:${decodePercentEncoding(password)}`).toString('base64')}`;
}

/** Text with an invalid percent encoding is used unchanged. */
function decodePercentEncoding(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
