// Sign-in in a browser with an authorization code and PKCE (RFC 7636): waits for the redirect, or for its pasted URL.
import { createHash } from 'node:crypto';
import { Fault } from '../../base/index.ts';
import type { Clock, IdGenerator, SignInPrompts } from '../../contracts/index.ts';
import { createCancelledFault } from './oauth-request.ts';

/** Receives one redirect of the browser on the loopback interface. */
export interface CallbackServer {
  readonly port: number;
  readonly received: Promise<URLSearchParams>;
  close(): void;
}

export interface CallbackServerOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly path: string;
  /** Requests for which it returns false are refused, and the server continues to wait. */
  isExpected(query: URLSearchParams): boolean;
}

export interface LoginContext extends SignInPrompts {
  readonly fetch: typeof fetch;
  readonly clock: Pick<Clock, 'now' | 'sleep' | 'after'>;
  readonly ids: Pick<IdGenerator, 'uuid'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Rejects when the port is in use. */
  openCallbackServer(options: CallbackServerOptions): Promise<CallbackServer>;
  /** Cancels the sign-in. */
  readonly signal?: AbortSignal | undefined;
}

export interface BrowserLogin {
  readonly port: number;
  readonly path: string;
  /** Absent when the provider does not return one; the path must then be random. */
  readonly state?: string | undefined;
  buildUrl(redirectUri: string, codeChallenge: string): string | Promise<string>;
}

export interface BrowserGrant {
  readonly code: string;
  readonly query: URLSearchParams;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

const TIMEOUT_MS = 15 * 60_000;

export async function signInWithBrowser(context: LoginContext, login: BrowserLogin): Promise<BrowserGrant> {
  const { port, path, state, buildUrl } = login;
  const codeVerifier = createSecretText(context.ids);
  const isExpected = (query: URLSearchParams) => state === undefined || query.get('state') === state;
  const server = await context.openCallbackServer({ port, path, isExpected }).catch(() => undefined);
  if (!server && !context.readLine) {
    throw new Fault(
      'refused',
      `Port ${port} is in use, so the browser cannot return to this program. Try again later.`,
    );
  }
  const redirectUri = `http://127.0.0.1:${server?.port ?? port}${path}`;
  try {
    context.showUrl(await buildUrl(redirectUri, createHash('sha256').update(codeVerifier).digest('base64url')));
    const query = await waitForRedirect(context, server);
    return { code: readCode(query, isExpected), query, codeVerifier, redirectUri };
  } finally {
    server?.close();
  }
}

/** 64 characters with 244 random bits. */
export function createSecretText(ids: Pick<IdGenerator, 'uuid'>): string {
  return `${ids.uuid()}${ids.uuid()}`.replaceAll('-', '');
}

async function waitForRedirect(context: LoginContext, server: CallbackServer | undefined): Promise<URLSearchParams> {
  const { clock, readLine, signal } = context;
  const done = new AbortController();
  const expired = new Promise<never>((_, reject) => {
    const cancel = clock.after(TIMEOUT_MS, () => reject(new Fault('timeout', 'The sign-in was not finished in time.')));
    done.signal.addEventListener('abort', cancel);
  });
  const cancelled = new Promise<never>((_, reject) => {
    const cancel = () => reject(createCancelledFault());
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { signal: done.signal });
  });
  const never = new Promise<never>(() => {});
  const pasted = readLine?.('Or paste the URL of the last page here: ', done.signal).then((line) =>
    line?.trim() ? parsePastedText(line.trim()) : (server?.received ?? Promise.reject(createNoCodeFault())),
  );
  try {
    return await Promise.race([server?.received ?? never, pasted ?? never, expired, cancelled]);
  } finally {
    done.abort();
    pasted?.catch(() => {});
  }
}

/** A redirect URL, its query, or the code alone. */
export function parsePastedText(text: string): URLSearchParams {
  if (URL.canParse(text)) return new URL(text).searchParams;
  return text.includes('code=') ? new URLSearchParams(text.replace(/^.*\?/, '')) : new URLSearchParams({ code: text });
}

function readCode(query: URLSearchParams, isExpected: (query: URLSearchParams) => boolean): string {
  const error = query.get('error');
  if (error !== null) {
    throw new Fault('refused', `The sign-in was refused${/^\w{1,60}$/.test(error) ? `: ${error}` : ''}.`);
  }
  if (query.has('state') && !isExpected(query))
    throw new Fault('refused', 'The pasted URL belongs to another sign-in. Start again.');
  const code = query.get('code');
  if (!code) throw createNoCodeFault();
  return code;
}

function createNoCodeFault(): Fault {
  return new Fault('refused', 'No authorization code was received. Start the sign-in again.');
}
