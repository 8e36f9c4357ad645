// Finds and redacts secrets in a provider's URL: userinfo, and parts of the path and query that look like keys.
import { REDACTED } from '../../base/redaction.ts';

interface UrlParts {
  /** With `://`. */
  readonly scheme: string;
  readonly userinfo: string | undefined;
  readonly host: string;
  readonly path: string;
  /** With the question mark. */
  readonly query: string;
  readonly fragment: string;
}

/** Also parses URLs that the URL class rejects, because they appear in error messages. */
const URL_PATTERN = /^([a-z][a-z\d+.-]*:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;

function parseUrl(url: string): UrlParts | undefined {
  const match = URL_PATTERN.exec(url.trim());
  if (!match) return undefined;
  const [, scheme = '', userinfo, host = '', path = '', query = '', fragment = ''] = match;
  return { scheme, userinfo, host, path, query, fragment };
}

/** The URL as hosts, logs and errors may show it. Unchanged if it contains no secrets. */
export function redactUrl(url: string): string {
  const parts = parseUrl(url);
  if (!parts) return url;
  const { scheme, host, path, query, fragment } = parts;
  const redactedPath = parseSegments(path)
    .map(({ text, isSecret }) => (isSecret ? REDACTED : text))
    .join('/');
  const redactedQuery = query.replace(QUERY_FIELD, (field, name: string, value: string) =>
    isSecretField(name, value) ? `${field.slice(0, field.length - value.length)}${REDACTED}` : field,
  );
  return `${scheme}${host}${redactedPath}${redactedQuery}${fragment}`;
}

/** The parts of the URL that count as secrets, in the encoding of the URL. */
export function findUrlSecrets(url: string): string[] {
  const parts = parseUrl(url);
  if (!parts) return [];
  const segments = parseSegments(parts.path).filter(({ isSecret }) => isSecret);
  const fields = [...parts.query.matchAll(QUERY_FIELD)].filter(([, name = '', value = '']) =>
    isSecretField(name, value),
  );
  return [
    ...findUserinfoSecrets(parts.userinfo ?? ''),
    ...segments.map(({ text }) => text),
    ...fields.map(([, , value = '']) => value),
  ];
}

/** Removes slashes at the end. The look-behind keeps the time linear. */
export function trimSlashes(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '');
}

/**
 * The URL of an operation such as `/responses`. The base URL may have a query, and may already end in the operation or in
 * a part of it, which `ending` matches.
 */
export function buildEndpointUrl(baseUrl: string, operation: string, ending: RegExp): string {
  const queryStart = baseUrl.indexOf('?');
  const path = queryStart < 0 ? baseUrl : baseUrl.slice(0, queryStart);
  const query = queryStart < 0 ? '' : baseUrl.slice(queryStart);
  return `${trimSlashes(trimSlashes(path).replace(ending, ''))}${operation}${query}`;
}

/** User names that are not secret. Redacting them would remove common words from every message. */
const GENERIC_USERNAMES = /^(admin|api|api-?key|basic|bearer|oauth2?|root|token|user|x-.*)$/i;

function findUserinfoSecrets(userinfo: string): string[] {
  if (userinfo === '') return [];
  const [user = '', ...rest] = userinfo.split(':');
  const password = rest.join(':');
  const secrets = [userinfo, password, ...(GENERIC_USERNAMES.test(user) ? [] : [user])];
  return [...new Set(secrets)].filter((text) => text !== '');
}

/**
 * Moves the userinfo of the URL into a basic authorization header. `fetch` rejects URLs with userinfo, and every error
 * would repeat it. An existing authorization header wins, as in Node's own client.
 */
export function moveUserinfoToHeader<H extends Readonly<Record<string, string>>>(
  originalUrl: string,
  headers: H,
): { url: string; headers: H | (H & { authorization: string }) } {
  const parts = parseUrl(originalUrl);
  if (!parts?.userinfo) return { url: originalUrl, headers };
  const { scheme, userinfo, host, path, query, fragment } = parts;
  const url = `${scheme}${host}${path}${query}${fragment}`;
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return { url, headers };
  const authorization = `Basic ${Buffer.from(decodeUserinfo(userinfo)).toString('base64')}`;
  return { url, headers: { ...headers, authorization } };
}

function decodeUserinfo(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const QUERY_FIELD = /[?&]([^=&]*)=([^&]*)/g;
/** Query parameters that select a version or a format. */
const PUBLIC_QUERY_FIELD = /^(api[-_]?version|version|alt|beta|format|region|location|model|stream)$/i;

function isSecretField(name: string, value: string): boolean {
  return value.length >= 4 && !PUBLIC_QUERY_FIELD.test(name);
}

interface Segment {
  readonly text: string;
  readonly isSecret: boolean;
}

/** The segment after one of these is a resource name, which may be long and contain many digits. */
const RESOURCE_SEGMENT =
  /^(accounts?|apps?|deployments?|endpoints?|engines?|locations?|models?|organizations?|projects?|publishers?|regions?|teams?|workspaces?)$/i;
const VERSION = /^v?\d+([.-]\d+)*([a-z]+\d*)?(-preview)?$/i;
const SECRET_WORD = /secret|token|passw|api[-_]?key|^(sk|pk|key|tok|ghp|gho|pat)[-_]|^AIza/i;
const LETTER_TO_DIGIT = /(?<=[a-z])\d|(?<=\d)[a-z]/gi;
const LOWER_TO_UPPER = /(?<=[a-z])[A-Z]/g;

function parseSegments(path: string): Segment[] {
  const texts = path.split('/');
  return texts.map((text, index) => ({ text, isSecret: isLikelySecret(text, texts[index - 1] ?? '') }));
}

/**
 * Keys in paths do not look like words: letters and digits alternate, or upper and lower case do. Redacting a name by
 * mistake is better than showing a key.
 */
function isLikelySecret(segment: string, previous: string): boolean {
  if (segment.length < 8 || VERSION.test(segment)) return false;
  if (SECRET_WORD.test(segment)) return true;
  const letterDigitChanges = segment.match(LETTER_TO_DIGIT)?.length ?? 0;
  if (RESOURCE_SEGMENT.test(previous)) return segment.length >= 20 && letterDigitChanges >= 6;
  const caseChanges = segment.match(LOWER_TO_UPPER)?.length ?? 0;
  return letterDigitChanges >= 2 || caseChanges >= 4 || /^[a-z]{24,}$/i.test(segment);
}
