// Normalizes request headers and collects the secrets of a request.
import type { ApiRequest, HttpResponse, ProviderResponse, RequestHeaders } from '../../contracts/index.ts';
import { findUrlSecrets } from './url-secrets.ts';

/** The values of headers with such names are secrets. */
export const SECRET_HEADER_NAME = /auth|key|token|secret|cookie/i;

/** Wire formats look up their headers in lower case. */
export function lowerCaseHeaders({ headers = {} }: Pick<ApiRequest, 'headers'>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

type SecretCarrier = Pick<ApiRequest, 'apiKey' | 'headers'> & { model?: Pick<ApiRequest['model'], 'baseUrl'> };

/**
 * The key, the secrets in the base URL, and the values of authentication headers: the full value, the value without its
 * scheme (`Bearer`), and the decoded credentials of `Basic`.
 */
export function collectSecrets({ apiKey, headers = {}, model }: SecretCarrier): string[] {
  const authHeaders = Object.entries(headers).filter(([name]) => SECRET_HEADER_NAME.test(name));
  const values = [
    apiKey,
    ...authHeaders.flatMap(([, value]) => [value, value.replace(/^\w+\s+/, ''), ...decodeBasicAuth(value)]),
  ];
  const urlSecrets = model ? findUrlSecrets(model.baseUrl) : [];
  return [...values, ...urlSecrets].filter((value): value is string => !!value);
}

/** `user:password` of basic authentication, and the password alone. */
function decodeBasicAuth(value: string): string[] {
  const [, encoded] = /^basic\s+(\S+)$/i.exec(value) ?? [];
  if (encoded === undefined) return [];
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  return [pair, pair.slice(pair.indexOf(':') + 1)];
}

/** `hook` does not see headers with keys, but may replace them. A header that it sets to `null` is removed. */
export async function rewriteHeaders(
  headers: Readonly<Record<string, string>>,
  hook: NonNullable<ApiRequest['rewriteHeaders']>,
): Promise<Record<string, string>> {
  const isSecret = ([name]: readonly [string, unknown]) => SECRET_HEADER_NAME.test(name);
  const entries = Object.entries(lowerCaseHeaders({ headers }));
  const visible = Object.fromEntries(entries.filter((entry) => !isSecret(entry)));
  const merged = { ...Object.fromEntries(entries.filter(isSecret)), ...lowerCaseNames(await hook(visible)) };
  return Object.fromEntries(Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== null));
}

function lowerCaseNames(headers: RequestHeaders): RequestHeaders {
  const entries = Object.entries(headers).filter(([, value]) => value === null || typeof value === 'string');
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

export function describeResponse({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): ProviderResponse {
  const found: Record<string, string> = {};
  headers.forEach((value, name) => {
    found[name.toLowerCase()] = value;
  });
  return { status, headers: found };
}
