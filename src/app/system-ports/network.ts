// The app's network: the process's own, or one that goes through the user's proxy. Knows no provider.
import type { Clock, Send } from '../../contracts/ports.ts';
import type { Proxies, ProxyVariable } from './proxy.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Fetch = typeof globalThis.fetch;

/** A server on this machine is what a proxy elsewhere cannot reach. */
const LOOPBACK = 'localhost,127.0.0.1,::1';

export function createNetwork(env: Env, clock: Pick<Clock, 'after'>): { fetch: Fetch; send: Send } {
  const proxies = proxiesOf(env);
  if (!proxies) return { fetch: (input, init) => globalThis.fetch(input, init), send: lazySend(clock) };
  let through: Promise<Fetch> | undefined;
  const fetch: Fetch = async (input, init) => {
    through ??= import('./proxy.ts').then(({ createProxyFetch }) => createProxyFetch(proxies));
    return (await through)(input, init);
  };
  return { fetch, send: fetch };
}

/** Loaded with the first request, or a moment before it. */
function lazySend(clock: Pick<Clock, 'after'>): Send {
  let made: Promise<Send> | undefined;
  const load = () => {
    made ??= import('./send.ts').then(({ createSend }) => createSend(clock));
    return made;
  };
  const send: Send = async (url, request) => (await load())(url, request);
  send.prepare = (url) => void load().then((loaded) => loaded.prepare?.(url));
  return send;
}

function proxiesOf(env: Env): Proxies | undefined {
  const [http, https, all] = [named(env, 'HTTP_PROXY'), named(env, 'HTTPS_PROXY'), named(env, 'ALL_PROXY')];
  if (!http && !https && !all) return undefined;
  const exceptions = [named(env, 'NO_PROXY')?.address, env.PARLEY_PROXY_LOOPBACK ? undefined : LOOPBACK];
  return {
    http: http ?? all,
    // A proxy for `http:` alone is used for both, as by the proxy agent of undici.
    https: https ?? all ?? http,
    noProxy: exceptions.filter((part) => part !== undefined).join(','),
  };
}

/** The lower-case variable wins where both are set, as in curl. */
function named(env: Env, name: string): ProxyVariable | undefined {
  const variable = env[name.toLowerCase()] === undefined ? name : name.toLowerCase();
  const address = env[variable]?.trim();
  return address ? { variable, address } : undefined;
}
