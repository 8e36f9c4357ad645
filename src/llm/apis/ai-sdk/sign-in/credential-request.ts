// Requests credentials from a cloud service over HTTP, and caches them until shortly before they expire.
import { Fault, getErrorMessage, tryParseObject } from '../../../../base/index.ts';
import { redact } from '../../../../base/redaction.ts';
import type { Clock } from '../../../../contracts/index.ts';
import { readErrorBody } from '../../../http/post-for-events.ts';
import { createHttpFault, ProviderFault } from '../../../http/provider-fault.ts';

export interface CredentialSourcePorts {
  fetch: typeof fetch;
  clock: Pick<Clock, 'after' | 'now'>;
}

export interface CredentialSource {
  /** Name for error messages. */
  readonly name: string;
  /** The requested credential, for error messages: "token", "credentials for …". */
  readonly credentialName: string;
  /** Removed from error messages. */
  readonly secrets: readonly string[];
}

export interface Expiring<T> {
  readonly value: T;
  /** Milliseconds since 1970. Without it the value never expires. */
  readonly expires?: number | undefined;
}

const TIMEOUT_MS = 15_000;
/** An answer may take minutes, so credentials are renewed this long before they expire. */
const RENEWAL_MARGIN_MS = 5 * 60_000;

/** Requests that a library sends, with our timeout, errors and redaction. */
export interface CredentialFetch {
  readonly fetch: typeof fetch;
  /** The last request that failed. Libraries wrap the error that `fetch` throws, or replace it. */
  readonly failure: { readonly url: string; readonly fault: unknown } | undefined;
  /** Whether a request succeeded. */
  readonly hasResponse: boolean;
}

/** `fetch` resolves only with successful responses. Its errors are aborts, which libraries do not retry. */
export function createCredentialFetch(ports: CredentialSourcePorts, source: CredentialSource): CredentialFetch {
  let failure: CredentialFetch['failure'];
  let hasResponse = false;
  return {
    get failure() {
      return failure;
    },
    get hasResponse() {
      return hasResponse;
    },
    fetch: async (input, init = {}) => {
      const url = String(input);
      try {
        const secrets = [...source.secrets, ...findRequestSecrets(init)];
        const body = await requestCredential(ports, url, init, { ...source, secrets });
        hasResponse = true;
        const type = body.startsWith('{') ? 'application/json' : 'text/plain';
        return new Response(body, { headers: { 'content-type': type } });
      } catch (fault) {
        failure = { url, fault };
        throw new DOMException('The request for credentials failed', 'AbortError');
      }
    },
  };
}

const SECRET_NAME = /auth|token|secret|assertion|password/i;
const NOT_SECRET_NAME = /type$/i;

/** Values of headers and of form and JSON fields with such names. Servers may quote them in their errors. */
function findRequestSecrets({ headers, body }: RequestInit): string[] {
  const text = body ? String(body) : '';
  const fields = text.startsWith('{') ? Object.entries(tryParseObject(text) ?? {}) : [...new URLSearchParams(text)];
  return [...new Headers(headers), ...fields].flatMap(([name, value]) =>
    SECRET_NAME.test(name) && !NOT_SECRET_NAME.test(name) && typeof value === 'string' && value !== ''
      ? [value, value.replace(/^\w+\s+/, '')]
      : [],
  );
}

/** Returns the body of a successful response. */
export async function requestCredential(
  { fetch, clock }: CredentialSourcePorts,
  url: string,
  { method = 'GET', headers, body: requestBody }: RequestInit,
  { name, credentialName, secrets }: CredentialSource,
): Promise<string> {
  const aborter = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => aborter.abort());
  try {
    const request = { method, headers: new Headers(headers), ...(requestBody ? { body: String(requestBody) } : {}) };
    const response = await fetch(url, { ...request, signal: aborter.signal, redirect: 'error' });
    const body = await readErrorBody(response);
    if (response.ok) return body;
    const { providerFailure, message } = createHttpFault(response.status, response.headers, body, secrets);
    // Client errors are permanent, except 429. Server errors may be temporary.
    const isPermanent = response.status < 500 && response.status !== 429;
    const sentence = `${name} returned no ${credentialName}: ${message}`;
    throw new ProviderFault(isPermanent ? { kind: 'auth', status: response.status } : providerFailure, sentence);
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    const hasTimedOut = aborter.signal.aborted;
    const reason = hasTimedOut
      ? `no response within ${TIMEOUT_MS / 1000} seconds`
      : redact(getErrorMessage(thrown), secrets);
    const sentence = `${name}: cannot get ${credentialName} from ${new URL(url).host}: ${reason}`;
    throw new ProviderFault({ kind: hasTimedOut ? 'timeout' : 'network' }, sentence, thrown);
  } finally {
    cancel();
  }
}

/** Concurrent callers share one request. A different `owner` causes a new request. */
export function createExpiringCache<T>(
  clock: Pick<Clock, 'now'>,
): (owner: unknown, load: () => Promise<Expiring<T>>) => Promise<T> {
  let cached: { owner: unknown; validUntil: number; value: Promise<T> } | undefined;
  return (owner, load) => {
    if (cached && cached.owner === owner && cached.validUntil > clock.now()) return cached.value;
    const pending = load();
    const fresh = { owner, validUntil: Number.POSITIVE_INFINITY, value: pending.then(({ value }) => value) };
    cached = fresh;
    pending.then(
      ({ expires = Number.POSITIVE_INFINITY }) => {
        fresh.validUntil = expires - RENEWAL_MARGIN_MS;
      },
      () => {
        if (cached === fresh) cached = undefined;
      },
    );
    return fresh.value;
  };
}
