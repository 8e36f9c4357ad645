// Resolves the base URL of a provider from the provider table and the environment.
import { Fault } from '../../base/index.ts';
import { redactUrl, trimSlashes } from '../http/url-secrets.ts';
import type { Provider } from './providers.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Empty when the provider has no default URL and the environment sets none. */
export function resolveBaseUrl(provider: Provider, env: Env): string {
  const { baseUrl, baseUrlEnv } = provider;
  const fromEnv = baseUrlEnv === undefined ? undefined : env[baseUrlEnv]?.trim();
  return fromEnv ? parseBaseUrl(provider, baseUrlEnv ?? '', fromEnv) : baseUrl;
}

/** Local servers also accept the forms of OLLAMA_HOST: `host`, `host:port`, `:port`, `0.0.0.0`. */
function parseBaseUrl({ baseUrl, keyless, rootPath }: Provider, variable: string, value: string): string {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(value);
  const address = hasScheme || !keyless ? value : `http://${value.startsWith(':') ? 'localhost' : ''}${value}`;
  if (!URL.canParse(address) || !/^https?:/i.test(address)) {
    const shown = redactUrl(value).replace(/^[^/]*@/, '');
    throw new Fault(
      'config',
      `${variable} is not a valid HTTP URL: ${shown}. Use a URL like ${baseUrl || 'https://host/v1'}`,
    );
  }
  const url = new URL(address);
  if (!hasScheme && !/:\d+(\/|$)/.test(value)) url.port = new URL(baseUrl).port;
  // A wildcard address cannot be connected to on every system.
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = 'localhost';
  if (url.pathname === '/' && rootPath !== undefined) url.pathname = rootPath;
  return trimSlashes(url.href);
}
