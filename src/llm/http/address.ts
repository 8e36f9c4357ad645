// Secrets inside the address of a provider: who signs in there, parts of the path and the query that look like keys. Pure.
import { REDACTED } from '../../base/redaction.ts';

interface Parts {
  /** With `://`. */
  readonly scheme: string;
  readonly userinfo: string | undefined;
  readonly host: string;
  readonly path: string;
  /** With the question mark. */
  readonly query: string;
  readonly fragment: string;
}

/** Also reads addresses that the URL class refuses: they are shown in errors. */
const ADDRESS = /^([a-z][a-z\d+.-]*:\/\/)(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;

function partsOf(address: string): Parts | undefined {
  const match = ADDRESS.exec(address.trim());
  if (!match) return undefined;
  const [, scheme = '', userinfo, host = '', path = '', query = '', fragment = ''] = match;
  return { scheme, userinfo, host, path, query, fragment };
}

/** The address as hosts, logs and errors may show it: the same text where there is nothing to hide. */
export function publicAddress(address: string): string {
  const parts = partsOf(address);
  if (!parts) return address;
  const { scheme, host, path, query, fragment } = parts;
  const shownPath = segmentsOf(path)
    .map(({ text, isSecret }) => (isSecret ? REDACTED : text))
    .join('/');
  const shownQuery = query.replace(FIELD, (field, name: string, value: string) =>
    isSecretField(name, value) ? `${field.slice(0, field.length - value.length)}${REDACTED}` : field,
  );
  return `${scheme}${host}${shownPath}${shownQuery}${fragment}`;
}

/** What of the address counts as a key, encoded as it stands there. */
export function secretsInAddress(address: string): string[] {
  const parts = partsOf(address);
  if (!parts) return [];
  const segments = segmentsOf(parts.path).filter(({ isSecret }) => isSecret);
  const fields = [...parts.query.matchAll(FIELD)].filter(([, name = '', value = '']) => isSecretField(name, value));
  return [
    ...userSecrets(parts.userinfo ?? ''),
    ...segments.map(({ text }) => text),
    ...fields.map(([, , value = '']) => value),
  ];
}

/** Without the slashes at its end. Takes linear time on any text. */
export function trimSlashes(text: string): string {
  return text.replace(/(?<!\/)\/+$/, '');
}

/**
 * The address of an operation such as `/responses`. The base address may have a query, and may already end in the operation
 * or in a part of it, which `ending` matches.
 */
export function endpointOf(baseUrl: string, operation: string, ending: RegExp): string {
  const mark = baseUrl.indexOf('?');
  const path = mark < 0 ? baseUrl : baseUrl.slice(0, mark);
  const query = mark < 0 ? '' : baseUrl.slice(mark);
  return `${trimSlashes(trimSlashes(path).replace(ending, ''))}${operation}${query}`;
}

/** Names that say nothing of who signs in: as secrets they would be struck out of every sentence. */
const USUAL_USERS = /^(admin|api|api-?key|basic|bearer|oauth2?|root|token|user|x-.*)$/i;

function userSecrets(userinfo: string): string[] {
  if (userinfo === '') return [];
  const [user = '', ...rest] = userinfo.split(':');
  const password = rest.join(':');
  const known = [userinfo, password, ...(USUAL_USERS.test(user) ? [] : [user])];
  return [...new Set(known)].filter((text) => text !== '');
}

/**
 * Who signs in, as a header, and the address without it: `fetch` refuses addresses that hold it, and every error would
 * repeat it. A header that is there already wins, as it does in Node's own client.
 */
export function withoutUserinfo<H extends Readonly<Record<string, string>>>(
  address: string,
  headers: H,
): { url: string; headers: H | (H & { authorization: string }) } {
  const parts = partsOf(address);
  if (!parts?.userinfo) return { url: address, headers };
  const { scheme, userinfo, host, path, query, fragment } = parts;
  const url = `${scheme}${host}${path}${query}${fragment}`;
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return { url, headers };
  const authorization = `Basic ${Buffer.from(unescaped(userinfo)).toString('base64')}`;
  return { url, headers: { ...headers, authorization } };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const FIELD = /[?&]([^=&]*)=([^&]*)/g;
/** Fields of a query that choose a version or a format. */
const PUBLIC_FIELD = /^(api[-_]?version|version|alt|beta|format|region|location|model|stream)$/i;

function isSecretField(name: string, value: string): boolean {
  return value.length >= 4 && !PUBLIC_FIELD.test(name);
}

interface Segment {
  readonly text: string;
  readonly isSecret: boolean;
}

/** After these comes the name of something, which may be long and full of digits. */
const NAMES_NEXT =
  /^(accounts?|apps?|deployments?|endpoints?|engines?|locations?|models?|organizations?|projects?|publishers?|regions?|teams?|workspaces?)$/i;
const VERSION = /^v?\d+([.-]\d+)*([a-z]+\d*)?(-preview)?$/i;
const SECRET_WORD = /secret|token|passw|api[-_]?key|^(sk|pk|key|tok|ghp|gho|pat)[-_]|^AIza/i;
const LETTER_TO_DIGIT = /(?<=[a-z])\d|(?<=\d)[a-z]/gi;
const LOWER_TO_UPPER = /(?<=[a-z])[A-Z]/g;

function segmentsOf(path: string): Segment[] {
  const texts = path.split('/');
  return texts.map((text, at) => ({ text, isSecret: looksSecret(text, texts[at - 1] ?? '') }));
}

/**
 * Keys in paths are no words: letters and digits in turn, or letters of both cases. A name that is struck out of an error
 * by mistake costs less than a key that is not.
 */
function looksSecret(segment: string, before: string): boolean {
  if (segment.length < 8 || VERSION.test(segment)) return false;
  if (SECRET_WORD.test(segment)) return true;
  const turns = segment.match(LETTER_TO_DIGIT)?.length ?? 0;
  if (NAMES_NEXT.test(before)) return segment.length >= 20 && turns >= 6;
  const humps = segment.match(LOWER_TO_UPPER)?.length ?? 0;
  return turns >= 2 || humps >= 4 || /^[a-z]{24,}$/i.test(segment);
}
