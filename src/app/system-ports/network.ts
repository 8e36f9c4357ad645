// Creates the network ports: direct, or through the user's proxy. Must not depend on a provider.
import type { Clock, SendHttp } from '../../contracts/ports.ts';
import type { Proxies, ProxyVariable } from './proxy-address.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Fetch = typeof globalThis.fetch;

/** A proxy on another machine cannot reach a server on this one. */
const LOOPBACK = 'localhost,127.0.0.1,::1';
/** Link-local addresses: the metadata services of cloud machines, which give credentials to this machine only. */
const LINK_LOCAL = '169.254.0.0/16,fd00:ec2::/32,fe80::/10,metadata.google.internal';

export function createNetwork(env: Env, clock: Pick<Clock, 'after'>): { fetch: Fetch; sendHttp: SendHttp } {
  const proxies = readProxies(env);
  if (!proxies) return { fetch: (input, init) => globalThis.fetch(input, init), sendHttp: createLazySend(clock) };
  let proxyFetch: Promise<Fetch> | undefined;
  const fetch: Fetch = async (input, init) => {
    proxyFetch ??= import('./proxy-fetch.ts').then(({ createProxyFetch }) => createProxyFetch(proxies));
    return (await proxyFetch)(input, init);
  };
  return { fetch, sendHttp: fetch };
}

/** Loaded with the first request, or by `preload` shortly before it. */
function createLazySend(clock: Pick<Clock, 'after'>): SendHttp {
  let loading: Promise<SendHttp> | undefined;
  const load = () => {
    loading ??= import('./send.ts').then(({ createSend }) => createSend(clock));
    return loading;
  };
  const sendHttp: SendHttp = async (url, request) => (await load())(url, request);
  sendHttp.preload = (url) => void load().then((loaded) => loaded.preload?.(url));
  return sendHttp;
}

/** `undefined` when no proxy is set. */
export function readProxies(env: Env): Proxies | undefined {
  const [http, https, all] = [
    readProxyVariable(env, 'HTTP_PROXY'),
    readProxyVariable(env, 'HTTPS_PROXY'),
    readProxyVariable(env, 'ALL_PROXY'),
  ];
  if (!http && !https && !all) return undefined;
  const noProxy = readProxyVariable(env, 'NO_PROXY')?.address;
  const exceptions = [noProxy, LINK_LOCAL, env.PARLEY_PROXY_LOOPBACK ? undefined : LOOPBACK];
  return {
    http: http ?? all,
    // A proxy for `http:` alone is used for both, as by the proxy agent of undici.
    https: https ?? all ?? http,
    noProxy: exceptions.filter((part) => part !== undefined).join(','),
  };
}

/** The lower-case variable takes precedence, as in curl. */
function readProxyVariable(env: Env, name: string): ProxyVariable | undefined {
  const variable = env[name.toLowerCase()] === undefined ? name : name.toLowerCase();
  const address = env[variable]?.trim();
  return address ? { variable, address } : undefined;
}
