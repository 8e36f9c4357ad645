// Removes secrets from texts, also those escaped as JSON, URL, HTML form, HTML or base64. Linear in the length of the text.

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

interface DecodedText {
  /** UTF-8, one character for each byte. */
  readonly bytes: string;
  /** Offset in the text of the character that the byte belongs to. */
  getStart(byte: number): number;
}

/** How many levels of nested escapes are decoded, for example JSON in a URL in JSON. */
const MAX_DECODE_DEPTH = 6;

/**
 * Decodes escapes of JSON, URLs and HTML, also nested ones, and drops backslashes. A secret that contains such an escape
 * itself is decoded to the same bytes as its escaped forms.
 */
function decodeEscapes(text: string, isBytes = false): DecodedText {
  let bytes = text;
  let starts: readonly number[] | undefined;
  for (let depth = 0; depth < MAX_DECODE_DEPTH; depth++) {
    const next = decodeOnce(bytes, isBytes || depth > 0);
    if (!next) break;
    const before = starts;
    starts = before ? next.starts.map((start) => before[start] ?? text.length) : next.starts;
    bytes = next.bytes;
  }
  return { bytes, getStart: (byte) => (starts ? (starts[byte] ?? text.length) : byte) };
}

const ESCAPE = /[\\%&]/g;
const ESCAPE_OR_WIDE = /[\\%&\u0080-\uffff]/g;

/** `undefined` when there is nothing to decode. */
function decodeOnce(text: string, isBytes: boolean): { bytes: string; starts: number[] } | undefined {
  const pattern = new RegExp(isBytes ? ESCAPE : ESCAPE_OR_WIDE);
  if (text.search(pattern) === -1) return undefined;
  const parts: string[] = [];
  const starts: number[] = [];
  let hasChanged = false;
  let at = 0;
  /** Start of backslashes that were dropped; they belong to the character after them. */
  let pendingStart: number | undefined;
  const append = (bytes: string, length: number, step: 0 | 1) => {
    for (let byte = 0; byte < bytes.length; byte++)
      starts.push(pendingStart !== undefined && byte === 0 ? pendingStart : at + byte * step);
    pendingStart = bytes === '' ? (pendingStart ?? at) : undefined;
    if (bytes !== '') parts.push(bytes);
    at += length;
  };
  while (at < text.length) {
    pattern.lastIndex = at;
    const next = pattern.exec(text)?.index ?? text.length;
    if (next > at) append(text.slice(at, next), next - at, 1);
    if (at === text.length) break;
    const unit = readUnit(text, at);
    // `&amp;` becomes `&`: the first character is the same, only the length differs.
    hasChanged ||= unit.length !== 1 || unit.bytes !== text[at];
    append(unit.bytes, unit.length, 0);
  }
  return hasChanged ? { bytes: parts.join(''), starts } : undefined;
}

interface DecodedUnit {
  readonly bytes: string;
  /** Number of characters that the unit has in the text. */
  readonly length: number;
}

function readUnit(text: string, at: number): DecodedUnit {
  const char = text[at] as string;
  if (char === '\\') return decodeBackslash(text, at);
  if (char === '%') return decodePercent(text, at) ?? { bytes: char, length: 1 };
  if (char === '&') return decodeEntity(text, at) ?? { bytes: char, length: 1 };
  const code = text.codePointAt(at) as number;
  return { bytes: encodeUtf8(code), length: code > 0xffff ? 2 : 1 };
}

const HEX_ESCAPE = /u([\dA-Fa-f]{4})|u\{([\dA-Fa-f]{1,6})\}|x([\dA-Fa-f]{2})/y;
const LOW_SURROGATE = /\\+u([Dd][C-Fc-f][\dA-Fa-f]{2})/y;

/** `\"`, `\/`, `\u002B`, `\x2b`, with any number of backslashes. */
function decodeBackslash(text: string, at: number): DecodedUnit {
  let end = at;
  while (text[end] === '\\') end++;
  const hex = matchAt(HEX_ESCAPE, text, end);
  if (!hex) return { bytes: '', length: end - at };
  const length = end + hex[0].length - at;
  const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16);
  const low = code >= 0xd800 && code < 0xdc00 ? matchAt(LOW_SURROGATE, text, at + length) : undefined;
  if (!low) return { bytes: encodeUtf8(code), length };
  const whole = 0x10000 + (code - 0xd800) * 0x400 + (Number.parseInt(low[1] ?? '', 16) - 0xdc00);
  return { bytes: encodeUtf8(whole), length: length + low[0].length };
}

const PERCENT = /%(?:25)*([\dA-Fa-f]{2})/y;

/** `%2B`, or `%252B` when it was encoded twice. */
function decodePercent(text: string, at: number): DecodedUnit | undefined {
  const match = matchAt(PERCENT, text, at);
  if (!match) return undefined;
  return { bytes: String.fromCharCode(Number.parseInt(match[1] ?? '', 16)), length: match[0].length };
}

const ENTITY = /&(?:amp;)*(?:#(\d{1,7})|#[xX]([\dA-Fa-f]{1,6})|(amp|quot|apos|lt|gt));/y;
const NAMED_ENTITIES: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };

function decodeEntity(text: string, at: number): DecodedUnit | undefined {
  const match = matchAt(ENTITY, text, at);
  if (!match) return undefined;
  const [whole, decimal, hex, name = ''] = match;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return { bytes: NAMED_ENTITIES[name] ?? encodeUtf8(code), length: whole.length };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** One character for each byte. */
function encodeUtf8(code: number): string {
  const continuation = (shift: number) => 0x80 | ((code >> shift) & 0x3f);
  if (code < 0x80) return String.fromCharCode(code);
  if (code < 0x800) return String.fromCharCode(0xc0 | (code >> 6), continuation(0));
  if (code < 0x10000) return String.fromCharCode(0xe0 | (code >> 12), continuation(6), continuation(0));
  return String.fromCharCode(0xf0 | ((code >> 18) & 7), continuation(12), continuation(6), continuation(0));
}
