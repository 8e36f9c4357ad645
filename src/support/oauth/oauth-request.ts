// Sends the requests of OAuth logins and reads JSON responses. Error messages never contain tokens.
import { Fault, getErrorMessage, tryParseObject } from '../../base/index.ts';
import { redact } from '../../base/redaction.ts';
import { readText } from '../response-text.ts';

/** The same request may succeed when it is retried later. */
export class TransientFault extends Fault {
  constructor(message: string) {
    super('refused', message);
  }
}

export function createCancelledFault(): Fault {
  return new Fault('aborted', 'The login was cancelled');
}

export interface JsonResponse {
  readonly host: string;
  readonly status: number;
  /** Empty when an error response is not JSON. */
  readonly fields: Record<string, unknown>;
}

/** `secrets` are redacted in the reason of a failure. */
export async function requestJson(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit,
  secrets: readonly string[] = [],
): Promise<JsonResponse> {
  const { host } = new URL(url);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, redirect: 'error' });
    text = await readText(response);
  } catch (thrown) {
    // The response exceeded the size limit.
    if (thrown instanceof Fault) throw thrown;
    throw new TransientFault(`${host} cannot be reached: ${redact(getFailureReason(thrown), secrets)}`);
  }
  const { status } = response;
  const fields = tryParseObject(text);
  // Overloaded or restarting servers respond with HTML pages, some of them with status 200.
  if (status >= 500 || status === 408 || status === 429) throw new TransientFault(`${host} answered ${status}`);
  if (response.ok && !fields) throw new TransientFault(`${host} returned a response that is not JSON`);
  return { host, status, fields: fields ?? {} };
}

/** Returns the fields of the response, which may be those of an OAuth error. */
export async function postForm(
  fetch: typeof globalThis.fetch,
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<JsonResponse> {
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  const secrets = ['code', 'code_verifier', 'device_code', 'refresh_token'].flatMap((name) => form[name] ?? []);
  return requestJson(fetch, url, { method: 'POST', headers, body: new URLSearchParams(form).toString() }, secrets);
}

/** Node puts the reason of a failed fetch into the error's cause. */
function getFailureReason(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause === undefined ? getErrorMessage(thrown) : getErrorMessage(cause);
}

/** For a response without a token. Quotes only the error code, because descriptions may quote the request. */
export function createRefusedTokenFault({ host, status, fields }: JsonResponse): Fault {
  const { error } = fields;
  if (error === 'invalid_grant') return new Fault('refused', `${host} no longer accepts the login. Sign in again.`);
  const reason = typeof error === 'string' && /^\w{1,60}$/.test(error) ? `${status} ${error}` : String(status);
  return new Fault('refused', `${host} issued no token (${reason}).`);
}

export function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
