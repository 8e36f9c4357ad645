// Decides whether a request may be processed: its Host and Origin headers, its token, and how often it has failed.
import type { Clock } from '../contracts/index.ts';
import { digestText } from '../support/digest.ts';
import { CLIENT_RATE, RateLimit } from '../support/rate-limit.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { TokenOwner } from './token-owner.ts';

export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names are in lower case. */
  header(name: string): string | undefined;
  /** The address of the other end of the connection. */
  readonly remoteAddress: string;
}

export interface Refusal {
  readonly status: 400 | 401 | 403 | 429;
  readonly code: 'invalid_params' | 'unauthorized' | 'forbidden' | 'rate_limited';
  readonly message: string;
  /** After how many seconds the request may succeed. */
  readonly retryAfter?: number | undefined;
}

export type Admission = { readonly owner: TokenOwner } | { readonly refusal: Refusal };

export interface RequestGuardOptions {
  readonly tokens: AccessTokens;
  readonly clock: Clock;
  /** The addresses under which the server can be reached, such as `127.0.0.1:7420`. Filled when the port is known. */
  getHosts(): readonly string[];
  /** Pages of these origins may send requests, in addition to the own one. */
  readonly allowedOrigins: readonly string[];
  getCookieName(): string;
}

/** Different wrong tokens from one address, before it has to wait. A page that sends an old token again and again does not guess. */
const MAX_FAILURES = 20;
const FAILURE_WINDOW_MS = 60_000;
/** Addresses with failures that are remembered. */
const MAX_ADDRESSES = 1000;

export class RequestGuard {
  readonly #options: RequestGuardOptions;
  readonly #failures = new Map<string, { digests: Set<string>; sinceMs: number }>();
  /** By the tenant and the name of the token. */
  readonly #rates = new Map<string, RateLimit>();

  constructor(options: RequestGuardOptions) {
    this.#options = options;
  }

  /** What holds for every request, before its token is read. */
  check(request: RequestFacts): Refusal | undefined {
    return this.#checkHost(request) ?? this.#checkOrigin(request) ?? this.#checkFetchSite(request);
  }

  /** A page of another site could reach the server by a name that it resolves to this machine (DNS rebinding). */
  #checkHost(request: RequestFacts): Refusal | undefined {
    const host = request.header('host')?.toLowerCase() ?? '';
    if (this.#options.getHosts().includes(host)) return undefined;
    return forbid(`The Host header ${JSON.stringify(host)} is not allowed. Add it to serve.allowedHosts.`);
  }

  /** Browsers send the origin of the page with each request that could change something, or whose response it could read. */
  #checkOrigin(request: RequestFacts): Refusal | undefined {
    const origin = request.header('origin');
    if (origin === undefined || this.#isOwnOrigin(origin) || this.#isListedOrigin(origin)) return undefined;
    return forbid(`The origin ${JSON.stringify(origin)} is not allowed. Add it to serve.allowedOrigins.`);
  }

  /** Without an origin, browsers load images, scripts and frames. Another site may only open a page, in a window of its own. */
  #checkFetchSite(request: RequestFacts): Refusal | undefined {
    if (!isFromOtherSite(request) || request.header('origin') !== undefined) return undefined;
    const isOpenedPage =
      request.header('sec-fetch-mode') === 'navigate' && request.header('sec-fetch-dest') === 'document';
    return isOpenedPage && request.method === 'GET'
      ? undefined
      : forbid('Pages of other sites cannot use this server.');
  }

  /** The origin of the request, if it is a listed one and not the own one. Responses to it have CORS headers. */
  getListedOrigin(request: RequestFacts): string | undefined {
    const origin = request.header('origin');
    return origin !== undefined && !this.#isOwnOrigin(origin) && this.#isListedOrigin(origin) ? origin : undefined;
  }

  #isListedOrigin(origin: string): boolean {
    return this.#options.allowedOrigins.includes(origin);
  }

  #isOwnOrigin(origin: string): boolean {
    return this.#options.getHosts().some((host) => origin === `http://${host}` || origin === `https://${host}`);
  }

  /** Called before `authorize`. Tokens of the database are looked up, unless too many wrong ones were sent. */
  async loadToken(request: RequestFacts, { allowQuery = false } = {}): Promise<void> {
    const token = this.#readToken(request, allowQuery);
    if (token !== undefined) await this.load(token, request);
  }

  async load(token: string, request: RequestFacts): Promise<void> {
    if (!this.#isLimited(request)) await this.#options.tokens.load(token);
  }

  /** `?token=` is accepted for WebSockets only, because browsers cannot send a header there. */
  authorize(request: RequestFacts, { allowQuery = false } = {}): Admission {
    const token = this.#readToken(request, allowQuery);
    if (token !== undefined) return this.#limitRate(this.authorizeToken(token, request));
    if (this.#isLimited(request)) return { refusal: this.#limit(request) };
    const message = 'A token is needed: Authorization: Bearer TOKEN.';
    return { refusal: { status: 401, code: 'unauthorized', message } };
  }

  #limitRate(admission: Admission): Admission {
    if ('refusal' in admission) return admission;
    const { name, tenant = '' } = admission.owner;
    const key = `${tenant}/${name}`;
    const rate = this.#rates.get(key) ?? new RateLimit(this.#options.clock, CLIENT_RATE);
    this.#rates.set(key, rate);
    if (rate.take()) return admission;
    const message = 'Too many requests per second with this token. Send fewer.';
    return { refusal: { status: 429, code: 'rate_limited', message, retryAfter: 1 } };
  }

  authorizeToken(token: string, request: RequestFacts): Admission {
    // Checked first: otherwise any user of this machine could lock the owner out. A token cannot be guessed, even without the limit.
    const owner = this.#options.tokens.find(token);
    if (owner) return { owner };
    if (this.#isLimited(request)) return { refusal: this.#limit(request) };
    this.#countFailure(request, token);
    return { refusal: { status: 401, code: 'unauthorized', message: 'The token is not valid.' } };
  }

  #readToken(request: RequestFacts, allowQuery: boolean): string | undefined {
    const [, bearer] = /^Bearer +(\S+)$/i.exec(request.header('authorization') ?? '') ?? [];
    if (bearer !== undefined) return bearer;
    const query = allowQuery ? request.query.get('token') : null;
    if (query !== null) return query;
    return this.#acceptsCookie(request)
      ? readCookie(request.header('cookie'), this.#options.getCookieName())
      : undefined;
  }

  /** Only from the own page. SameSite is not enough: all ports of one host are one site. */
  #acceptsCookie(request: RequestFacts): boolean {
    const origin = request.header('origin');
    return origin === undefined ? !isFromOtherSite(request) : this.#isOwnOrigin(origin);
  }

  #isLimited(request: RequestFacts): boolean {
    const key = getFailureKey(request);
    const failures = this.#failures.get(key);
    if (!failures) return false;
    if (this.#options.clock.now() - failures.sinceMs < FAILURE_WINDOW_MS) return failures.digests.size >= MAX_FAILURES;
    this.#failures.delete(key);
    return false;
  }

  #limit(request: RequestFacts): Refusal {
    const { sinceMs = 0 } = this.#failures.get(getFailureKey(request)) ?? {};
    const retryAfter = Math.max(1, Math.ceil((sinceMs + FAILURE_WINDOW_MS - this.#options.clock.now()) / 1000));
    const message = 'Too many requests with a wrong token. Wait a minute.';
    return { status: 429, code: 'rate_limited', message, retryAfter };
  }

  #countFailure(request: RequestFacts, token: string): void {
    const key = getFailureKey(request);
    const failures = this.#failures.get(key) ?? { digests: new Set(), sinceMs: this.#options.clock.now() };
    failures.digests.add(digestText(token).toString('base64'));
    this.#failures.set(key, failures);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_ADDRESSES && oldest !== undefined) this.#failures.delete(oldest);
  }
}

/** By browsers; other programs do not send this header. */
function isFromOtherSite(request: RequestFacts): boolean {
  const site = request.header('sec-fetch-site');
  return site === 'cross-site' || site === 'same-site';
}

/** Windows that another site opens are counted separately: they must not use up the limit of the user. */
function getFailureKey(request: RequestFacts): string {
  return `${request.remoteAddress}${isFromOtherSite(request) ? ' other site' : ''}`;
}

function forbid(message: string): Refusal {
  return { status: 403, code: 'forbidden', message };
}

function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [key = '', ...value] = part.trim().split('=');
    if (key === name) return value.join('=');
  }
  return undefined;
}
