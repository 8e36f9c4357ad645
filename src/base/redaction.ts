// Removes secrets from texts, also those escaped as JSON, URL, HTML form, HTML or base64. Linear in the length of the text.
import { decodeEscapes } from './decode-escapes.ts';

export const REDACTED = '[redacted]';

/** Shorter secrets are ignored, because they occur in ordinary words too. */
const MIN_SECRET_LENGTH = 4;
/** Smallest part of a truncated secret that is redacted. Many keys begin with a public prefix of nearly this length (`sk-ant-`). */
const MIN_PART_LENGTH = 8;
/** Shorter runs of base64 cannot contain a secret. */
const BASE64 = /[A-Za-z0-9+/_-]{6,}/g;
/** The user part of a URL, also where the slashes are escaped. */
const USERINFO = /(:\\?\/\\?\/)[^\s/\\?#"'<>]+@/g;

export type Redactor = (text: string) => string;

/** Redacts these secrets, complete or truncated, and the user part of all URLs. Callers must truncate the result, never the input. */
export function redact(text: string, secrets: Iterable<string>): string {
  return createRedactor(secrets)(text);
}

/** Redacts first and truncates to `maxLength` characters afterwards. */
export function redactExcerpt(text: string, secrets: Iterable<string>, maxLength: number): string {
  return redact(text, secrets).slice(0, maxLength);
}

/** `secrets` is read again for each text, so that secrets can be added later. */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const needles = new Map<string, string>();
  const getNeedle = (secret: string): string => {
    const needle = needles.get(secret) ?? normalizePlus(decodeEscapes(secret).bytes);
    needles.set(secret, needle);
    return needle;
  };
  return (text) => {
    if (text === '') return text;
    // Longest first: when one secret is the prefix of another, the remainder of the longer one must not be left over.
    const known = [...secrets].filter(({ length }) => length >= MIN_SECRET_LENGTH).sort((a, b) => b.length - a.length);
    const plain = known.reduce((clean, secret) => clean.replaceAll(secret, REDACTED), text);
    const encoded = known.map(getNeedle).filter(({ length }) => length >= MIN_SECRET_LENGTH);
    return (encoded.length === 0 ? plain : redactEncoded(plain, encoded)).replace(USERINFO, `$1${REDACTED}@`);
  };
}

interface Range {
  start: number;
  end: number;
}

function redactEncoded(text: string, needles: readonly string[]): string {
  const { bytes, getStart } = decodeEscapes(text);
  const found = [
    ...needles.flatMap((needle) => findOccurrences(normalizePlus(bytes), needle)),
    ...findInBase64(bytes, needles),
  ];
  if (found.length === 0) return text;
  let clean = '';
  let offset = 0;
  for (const { start, end } of mergeRanges(found)) {
    clean += text.slice(offset, getStart(start)) + REDACTED;
    offset = getStart(end);
  }
  return clean + text.slice(offset);
}

/** Sorts the ranges and joins those that overlap or touch. */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && range.start <= last.end) last.end = Math.max(last.end, range.end);
    else result.push({ ...range });
  }
  return result;
}

/**
 * Finds the secret, complete or with one end missing. Half of the secret is found anywhere. At the end of the text, where
 * texts are truncated, a shorter part is enough.
 */
function findOccurrences(bytes: string, needle: string): Range[] {
  const { length } = needle;
  const part = Math.min(length, Math.max(MIN_PART_LENGTH, Math.ceil(length / 2)));
  const found: Range[] = [];
  const [head, tail] = [needle.slice(0, part), needle.slice(-part)];
  for (let start = bytes.indexOf(head); start !== -1; ) {
    let size = part;
    while (size < length && bytes[start + size] === needle[size]) size++;
    found.push({ start, end: start + size });
    start = bytes.indexOf(head, start + size);
  }
  for (let at = part < length ? bytes.indexOf(tail) : -1; at !== -1; at = bytes.indexOf(tail, at + part)) {
    let start = at;
    while (at + part - start < length && start > 0 && bytes[start - 1] === needle[length - (at + part - start) - 1])
      start--;
    found.push({ start, end: at + part });
  }
  const start = findTruncatedSecret(bytes, needle.slice(0, part - 1));
  return start === undefined ? found : [...found, { start, end: bytes.length }];
}

/** A truncated text may end with a part of an escape of this length. */
const MAX_ESCAPE_LENGTH = 6;

/** The offset of the beginning of a secret with which the text ends. */
function findTruncatedSecret(bytes: string, head: string): number | undefined {
  if (head.length < MIN_PART_LENGTH) return undefined;
  const beginning = head.slice(0, MIN_PART_LENGTH);
  const from = Math.max(0, bytes.length - head.length - MAX_ESCAPE_LENGTH);
  for (let at = bytes.indexOf(beginning, from); at !== -1; at = bytes.indexOf(beginning, at + 1)) {
    let size = MIN_PART_LENGTH;
    while (size < head.length && bytes[at + size] === head[size]) size++;
    if (at + size >= bytes.length - MAX_ESCAPE_LENGTH) return at;
  }
  return undefined;
}

/** A secret may begin at any of the four offsets of a base64 group, for example after `user:`. The whole run is redacted. */
function findInBase64(bytes: string, needles: readonly string[]): Range[] {
  const found: Range[] = [];
  for (const { 0: run, index } of bytes.matchAll(BASE64)) {
    const containsSecret = [0, 1, 2, 3].some((offset) => {
      const decoded = normalizePlus(
        decodeEscapes(Buffer.from(run.slice(offset), 'base64').toString('latin1'), true).bytes,
      );
      return needles.some((needle) => findOccurrences(decoded, needle).length > 0);
    });
    if (containsSecret) found.push({ start: index, end: index + run.length });
  }
  return found;
}

/** HTML forms encode a space as a plus sign, so both are treated as equal. */
function normalizePlus(bytes: string): string {
  return bytes.replaceAll('+', ' ');
}
