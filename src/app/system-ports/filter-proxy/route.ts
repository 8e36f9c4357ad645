// Finds out how the filter proxy reaches a target: directly at a checked address, or through the user's own proxy.
import { promises as dns } from 'node:dns';
import { isIP } from 'node:net';
import { getErrorMessage } from '../../../base/fault.ts';
import type { ConnectionPolicy, ProxyTarget } from '../../../contracts/filter-proxy.ts';
import { readProxies } from '../network.ts';
import { createNoProxy } from '../no-proxy.ts';
import { createProxyToken, parseProxyAddress } from '../proxy-address.ts';

/** The user's own proxy. It resolves the names, so addresses cannot be checked. */
export interface Upstream {
  readonly url: URL;
  readonly variable: string;
  /** For `Proxy-Authorization`. */
  readonly token: string | undefined;
}

export type Route = { readonly addresses: readonly string[] } | { readonly upstream: Upstream };

/** The addresses of a host name. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** A request that is answered with an error instead of a connection. */
export class ProxyError extends Error {
  readonly status: number;

  constructor(status: 400 | 403 | 407 | 502 | 504, message: string) {
    super(message);
    this.status = status;
  }
}

export interface RouterOptions {
  readonly policy: ConnectionPolicy;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly lookup?: Lookup | undefined;
}

/** Throws a ProxyError if the policy refuses the target or one of its addresses. */
export type FindRoute = (target: ProxyTarget, scheme: 'http' | 'https') => Promise<Route>;

export function createRouter({ policy, env, lookup = lookUpAddresses }: RouterOptions): FindRoute {
  const findUpstream = createUpstreamFinder(env);
  return async (target, scheme) => {
    const refusal = policy.checkTarget(target);
    if (refusal !== undefined) throw new ProxyError(403, refusal);
    const upstream = findUpstream(target, scheme);
    if (upstream) return { upstream };
    const addresses = await resolve(target.host, lookup);
    for (const address of addresses) {
      const reason = policy.checkAddress(target, address);
      if (reason !== undefined) throw new ProxyError(403, reason);
    }
    return { addresses };
  };
}

async function resolve(host: string, lookup: Lookup): Promise<readonly string[]> {
  const literal = host.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return [literal];
  try {
    const addresses = await lookup(host);
    if (addresses.length > 0) return addresses;
  } catch (thrown) {
    throw new ProxyError(502, `${host} cannot be resolved: ${getErrorMessage(thrown)}`);
  }
  throw new ProxyError(502, `${host} has no address`);
}

async function lookUpAddresses(name: string): Promise<readonly string[]> {
  return (await dns.lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
}

function createUpstreamFinder(env: RouterOptions['env']) {
  const proxies = readProxies(env);
  const isExcepted = createNoProxy(proxies?.noProxy ?? '');
  return ({ host, port }: ProxyTarget, scheme: 'http' | 'https'): Upstream | undefined => {
    const proxy = proxies?.[scheme];
    const target = `${scheme}://${host}:${port}`;
    // A target that is no URL is not an exception either: it goes to the proxy, which refuses it.
    if (!proxy || (URL.canParse(target) && isExcepted(new URL(target)))) return undefined;
    const url = parseProxyAddress(proxy);
    return { url, variable: proxy.variable, token: createProxyToken(url) };
  };
}
