// The fetch function for OAuth requests: encrypted or loopback only, with a time limit and a size limit.
import { Fault } from '../../base/index.ts';
import type { Clock } from '../../contracts/index.ts';
import { readText } from '../../support/response-text.ts';

export interface OAuthFetchOptions {
  readonly fetch: typeof fetch;
  readonly clock: Pick<Clock, 'after'>;
  /** The MCP server. Only a server on the loopback interface may name other unencrypted loopback addresses. */
  readonly serverUrl: string;
  readonly signal?: AbortSignal | undefined;
}

export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Shorter than the time for which other processes wait for the lock of the credential file. */
const TIMEOUT_MS = 20_000;
/** Statuses for which a response must not have a body. */
const WITHOUT_BODY = [204, 205, 304];

export function createOAuthFetch(options: OAuthFetchOptions): OAuthFetch {
  const { fetch, clock, serverUrl, signal } = options;
  return async (url, init = {}) => {
    assertSecureUrl(url, serverUrl);
    const timeout = new AbortController();
    const cancelTimer = clock.after(TIMEOUT_MS, () => timeout.abort(createTimeoutFault(url)));
    // Redirects are followed by the SDK within the origin. A request with credentials is never redirected.
    const redirect = (init.method ?? 'GET') === 'GET' ? (init.redirect ?? 'manual') : 'error';
    try {
      const signals = [timeout.signal, signal, init.signal].filter((each) => each instanceof AbortSignal);
      const response = await fetch(url, { ...init, redirect, signal: AbortSignal.any(signals) });
      const { status, headers } = response;
      const text = await readText(response);
      return new Response(WITHOUT_BODY.includes(status) ? null : text, { status, headers: keepHeaders(headers) });
    } finally {
      cancelTimer();
    }
  };
}

/** Refuses URLs to which a code or a token would be sent without encryption. */
export function assertSecureUrl(url: string | URL, serverUrl: string): void {
  const target = new URL(url);
  if (target.protocol === 'https:') return;
  if (target.protocol === 'http:' && isLoopback(target) && isLoopback(new URL(serverUrl))) return;
  throw new Fault('refused', `${target.origin} does not use https. Nothing was sent to it.`);
}

export function isLoopback({ hostname }: URL): boolean {
  return (
    hostname === 'localhost' || hostname.endsWith('.localhost') || /^127(?:\.\d{1,3}){3}$|^\[::1\]$/.test(hostname)
  );
}

/** The body was decompressed and copied, so the headers that describe its transfer no longer apply. */
function keepHeaders(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) kept.delete(name);
  return kept;
}

function createTimeoutFault(url: string | URL): Fault {
  return new Fault('timeout', `${new URL(url).host} did not answer within ${TIMEOUT_MS / 1000} seconds.`);
}
