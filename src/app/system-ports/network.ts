// The app's network: the process's own, or one that goes through the user's proxy. Knows no provider.
import { Fault } from '../../base/fault.ts';
import type { Clock, Send } from '../../contracts/ports.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Fetch = typeof globalThis.fetch;

interface Proxies {
  httpProxy: string;
  httpsProxy: string;
  noProxy: string;
}

/** A server on this machine is what a proxy elsewhere cannot reach. */
const LOOPBACK = 'localhost,127.0.0.1,::1,[::1]';

export function createNetwork(env: Env, clock: Pick<Clock, 'after'>): { fetch: Fetch; send: Send } {
  const proxies = proxiesOf(env);
  if (!proxies) return { fetch: (input, init) => globalThis.fetch(input, init), send: lazySend(clock) };
  let through: Promise<Fetch> | undefined;
  const fetch: Fetch = async (input, init) => {
    through ??= throughProxy(proxies);
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
  const all = named(env, 'ALL_PROXY');
  const httpProxy = named(env, 'HTTP_PROXY') || all;
  const httpsProxy = named(env, 'HTTPS_PROXY') || all;
  if (!httpProxy && !httpsProxy) return undefined;
  const exceptions = [named(env, 'NO_PROXY'), env.PARLEY_PROXY_LOOPBACK ? '' : LOOPBACK];
  return { httpProxy, httpsProxy, noProxy: exceptions.filter((part) => part !== '').join(',') };
}

/** The small spelling is the older one, and comes first wherever proxies are read. */
function named(env: Env, name: string): string {
  return (env[name.toLowerCase()] ?? env[name] ?? '').trim();
}

async function throughProxy(proxies: Proxies): Promise<Fetch> {
  for (const address of [proxies.httpProxy, proxies.httpsProxy]) checkAddress(address);
  const { EnvHttpProxyAgent, fetch: fetchOfPackage } = await import('undici');
  // How long to wait is decided where requests are made.
  const dispatcher = quietly(() => new EnvHttpProxyAgent({ ...proxies, headersTimeout: 0, bodyTimeout: 0 }));
  // The package's types and those of Node's own copy of it are not the same to the compiler.
  const send = fetchOfPackage as unknown as (input: unknown, init: unknown) => Promise<Response>;
  return (input, init) => send(input, { ...init, dispatcher });
}

/** The class tells everyone once that it is experimental; nobody who set a proxy can do anything with that. */
function quietly<T>(make: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return make();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Names the variables and not the value, which may hold a password. */
function checkAddress(address: string): void {
  if (address === '' || (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol))) return;
  const what = 'HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names a proxy that cannot be used';
  throw new Fault('config', `${what}: write it like http://host:port (SOCKS is not supported)`);
}
