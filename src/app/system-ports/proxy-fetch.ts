// A fetch that sends requests through the user's HTTP proxies. Loaded with the first request if a proxy variable is set.
import { Agent, Dispatcher, fetch as fetchOfPackage, Pool, ProxyAgent } from 'undici';
import { getErrorMessage, getSystemErrorCode } from '../../base/fault.ts';
import { createNoProxy } from './no-proxy.ts';
import { createProxyToken, type Proxies, type ProxyVariable, parseProxyAddress } from './proxy-address.ts';

type Fetch = typeof globalThis.fetch;

interface Proxy {
  readonly variable: string;
  /** Host and port, without user name and password. */
  readonly host: string;
  readonly dispatcher: Dispatcher;
}

/** The caller of `fetch` decides how long to wait for headers and data. */
const NO_TIMEOUTS = { headersTimeout: 0, bodyTimeout: 0 };

const UNREACHABLE =
  /^(ECONN(REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|E(HOST|NET)UNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

export function createProxyFetch(proxies: Proxies): Fetch {
  const isExcepted = createNoProxy(proxies.noProxy);
  const [http, https] = [createProxy(proxies.http), createProxy(proxies.https)];
  const selectProxy = (url: URL) => (isExcepted(url) ? undefined : url.protocol === 'https:' ? https : http);
  const direct = new Agent(NO_TIMEOUTS);
  const dispatcher = new RoutingDispatcher((url) => selectProxy(url)?.dispatcher ?? direct);
  // The types of the package and of Node's built-in copy of it differ for the compiler.
  const send = fetchOfPackage as unknown as (input: unknown, init: unknown) => Promise<Response>;
  return async (input, init) => {
    try {
      return await send(input, { ...init, dispatcher });
    } catch (thrown) {
      const url = new URL(input instanceof Request ? input.url : input);
      const proxy = init?.signal?.aborted ? undefined : selectProxy(url);
      throw proxy ? explainProxyError(thrown, proxy, url) : thrown;
    }
  };
}

/** Chooses by the origin of each request, so that a redirect is routed by its own address. */
class RoutingDispatcher extends Dispatcher {
  readonly #choose: (url: URL) => Dispatcher;

  constructor(choose: (url: URL) => Dispatcher) {
    super();
    this.#choose = choose;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandlers): boolean {
    return this.#choose(new URL(options.origin ?? '')).dispatch(options, handler);
  }
}

function createProxy(proxyVariable: ProxyVariable | undefined): Proxy | undefined {
  if (!proxyVariable) return undefined;
  const url = parseProxyAddress(proxyVariable);
  const token = createProxyToken(url);
  const dispatcher = new ProxyAgent({
    uri: url.origin,
    ...(token && { token }),
    ...NO_TIMEOUTS,
    // `http:` requests are forwarded and not tunnelled: many proxies allow CONNECT to port 443 only.
    proxyTunnel: false,
    // Without this a forwarded request would have the default timeouts of the package.
    factory: (origin, options) => new Pool(origin, { ...options, ...NO_TIMEOUTS }),
  });
  return { variable: proxyVariable.variable, host: url.host, dispatcher };
}

/** undici reports a failure of the proxy like a failure of the server. */
function explainProxyError(thrown: unknown, { variable, host }: Proxy, url: URL): unknown {
  const cause = findRootCause(thrown);
  if (cause === thrown) return thrown;
  const reason = getErrorMessage(cause) || getSystemErrorCode(cause);
  const status = /^Proxy .*\((\d{3})\)/.exec(getErrorMessage(cause))?.[1];
  if (status === '407') {
    const remedy = `Set ${variable} to http://user:password@${host}`;
    return new Error(`The proxy ${host} (${variable}) did not accept the user name and password (407). ${remedy}`);
  }
  if (status) return new Error(`The proxy ${host} (${variable}) refused a connection to ${url.host} (${status})`);
  if (UNREACHABLE.test(getSystemErrorCode(cause) ?? '')) {
    return new Error(`The proxy ${host} (${variable}) cannot be reached: ${reason}`);
  }
  return new Error(`${reason} (through the proxy ${host}, ${variable})`);
}

/** When every address of a name fails, Node wraps the failures in an error without a message. */
function findRootCause(thrown: unknown): unknown {
  const { cause, errors } = (thrown ?? {}) as { cause?: unknown; errors?: readonly unknown[] };
  const next = cause ?? errors?.[0];
  return next === undefined ? thrown : findRootCause(next);
}
