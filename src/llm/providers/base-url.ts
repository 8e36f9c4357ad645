// First floor, llm: where a host is, after what the environment says. Pure; reads no environment itself.
import { Fault } from '../../base/index.ts';
import { publicAddress, trimSlashes } from '../http/address.ts';
import type { Provider } from './providers.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Empty when the host has no address of its own and none was given. */
export function baseUrlOf(provider: Provider, env: Env): string {
  const { baseUrl, baseUrlEnv } = provider;
  const given = baseUrlEnv === undefined ? undefined : env[baseUrlEnv]?.trim();
  return given ? readAddress(provider, baseUrlEnv ?? '', given) : baseUrl;
}

/** Servers of one's own are also named as Ollama's variable names them: `host`, `host:port`, `:port`, `0.0.0.0`. */
function readAddress({ baseUrl, keyless, rootPath }: Provider, variable: string, given: string): string {
  const named = /^[a-z][a-z\d+.-]*:\/\//i.test(given);
  const address = named || !keyless ? given : `http://${given.startsWith(':') ? 'localhost' : ''}${given}`;
  if (!URL.canParse(address) || !/^https?:/i.test(address)) {
    const shown = publicAddress(given).replace(/^[^/]*@/, '');
    throw new Fault('config', `${variable} is no web address: ${shown}. Write it like ${baseUrl || 'https://host/v1'}`);
  }
  const url = new URL(address);
  if (!named && !/:\d+(\/|$)/.test(given)) url.port = new URL(baseUrl).port;
  // Where a server listens on every address, it is reached on its own.
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = 'localhost';
  if (url.pathname === '/' && rootPath !== undefined) url.pathname = rootPath;
  return trimSlashes(url.href);
}
