// Takes secrets out of texts, in every form in which JSON, URLs, forms, HTML and base64 write them. Pure; linear in the text.

export const REDACTED = '[redacted]';

/** Anything shorter occurs in ordinary words too. */
const SHORTEST_SECRET = 4;
/** Fewer characters of a cut secret are no use to anyone; many keys begin with that many that are public (`sk-ant-`). */
const SHORTEST_PART = 8;
/** Shorter runs cannot hold a secret. */
const BASE64 = /[A-Za-z0-9+/_-]{6,}/g;
/** Who signs in at an address, also where the slashes are escaped. */
const USERINFO = /(:\\?\/\\?\/)[^\s/\\?#"'<>]+@/g;

export type Redact = (text: string) => string;

/** The text without these secrets, whole or cut, and without the user part of any address. Cut the result, never the text. */
export function redact(text: string, secrets: Iterable<string>): string {
  return createRedactor(secrets)(text);
}

/** The beginning of a text that may hold secrets. */
export function redactedExcerpt(text: string, secrets: Iterable<string>, longest: number): string {
  return redact(text, secrets).slice(0, longest);
}

/** For many texts. `secrets` is read for each of them, so that more may be added. */
export function createRedactor(secrets: Iterable<string>): Redact {
  const needles = new Map<string, string>();
  const needleFor = (secret: string): string => {
    const needle = needles.get(secret) ?? asForm(decoded(secret).bytes);
    needles.set(secret, needle);
    return needle;
  };
  return (text) => {
    if (text === '') return text;
    // Longest first, so that the rest of a secret does not survive another one that it begins with.
    const known = [...secrets].filter(({ length }) => length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
    const plain = known.reduce((clean, secret) => clean.replaceAll(secret, REDACTED), text);
    const encoded = known.map(needleFor).filter(({ length }) => length >= SHORTEST_SECRET);
    return (encoded.length === 0 ? plain : struck(plain, encoded)).replace(USERINFO, `$1${REDACTED}@`);
  };
}

interface Range {
  start: number;
  end: number;
}

function struck(text: string, needles: readonly string[]): string {
  const { bytes, startOf } = decoded(text);
  const found = [...needles.flatMap((needle) => occurrences(asForm(bytes), needle)), ...inBase64(bytes, needles)];
  if (found.length === 0) return text;
  let clean = '';
  let at = 0;
  for (const { start, end } of merged(found)) {
    clean += text.slice(at, startOf(start)) + REDACTED;
    at = startOf(end);
  }
  return clean + text.slice(at);
}

/** Ranges that overlap or touch as one, in order. */
function merged(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && range.start <= last.end) last.end = Math.max(last.end, range.end);
    else result.push({ ...range });
  }
  return result;
}

/**
 * Where the secret is, whole or with one end missing: half of it is found anywhere, and less where the text ends, because
 * texts are cut there.
 */
function occurrences(bytes: string, needle: string): Range[] {
  const { length } = needle;
  const part = Math.min(length, Math.max(SHORTEST_PART, Math.ceil(length / 2)));
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
  const start = cutStart(bytes, needle.slice(0, part - 1));
  return start === undefined ? found : [...found, { start, end: bytes.length }];
}

/** Half an escape may be what a cut text ends with. */
const LONGEST_ESCAPE = 6;

/** Where the text ends in the beginning of a secret. */
function cutStart(bytes: string, head: string): number | undefined {
  if (head.length < SHORTEST_PART) return undefined;
  const beginning = head.slice(0, SHORTEST_PART);
  const from = Math.max(0, bytes.length - head.length - LONGEST_ESCAPE);
  for (let at = bytes.indexOf(beginning, from); at !== -1; at = bytes.indexOf(beginning, at + 1)) {
    let size = SHORTEST_PART;
    while (size < head.length && bytes[at + size] === head[size]) size++;
    if (at + size >= bytes.length - LONGEST_ESCAPE) return at;
  }
  return undefined;
}

/** A secret may begin at any of four places of a group, after `user:` for example. All of such a run goes. */
function inBase64(bytes: string, needles: readonly string[]): Range[] {
  const found: Range[] = [];
  for (const { 0: run, index } of bytes.matchAll(BASE64)) {
    const holds = [0, 1, 2, 3].some((offset) => {
      const inside = asForm(decoded(Buffer.from(run.slice(offset), 'base64').toString('latin1'), true).bytes);
      return needles.some((needle) => occurrences(inside, needle).length > 0);
    });
    if (holds) found.push({ start: index, end: index + run.length });
  }
  return found;
}

/** Forms write a space as a plus sign. Both are the same here. */
function asForm(bytes: string): string {
  return bytes.replaceAll('+', ' ');
}

interface Decoded {
  /** UTF-8, one character for each byte. */
  readonly bytes: string;
  /** Where in the text the byte begins. */
  startOf(byte: number): number;
}

/** How often escapes may be nested: JSON in a URL in JSON, and some more. */
const DEEPEST = 6;

/**
 * One spelling for all: escapes of JSON, URLs and HTML are undone however often they were applied, and backslashes are
 * dropped. A secret that contains such an escape itself comes out the same as its escaped forms.
 */
function decoded(text: string, isBytes = false): Decoded {
  let bytes = text;
  let starts: readonly number[] | undefined;
  for (let depth = 0; depth < DEEPEST; depth++) {
    const next = decodedOnce(bytes, isBytes || depth > 0);
    if (!next) break;
    const before = starts;
    starts = before ? next.starts.map((start) => before[start] ?? text.length) : next.starts;
    bytes = next.bytes;
  }
  return { bytes, startOf: (byte) => (starts ? (starts[byte] ?? text.length) : byte) };
}

const ESCAPE = /[\\%&]/g;
const ESCAPE_OR_WIDE = /[\\%&\u0080-\uffff]/g;

/** `undefined` where nothing changes. */
function decodedOnce(text: string, isBytes: boolean): { bytes: string; starts: number[] } | undefined {
  const pattern = new RegExp(isBytes ? ESCAPE : ESCAPE_OR_WIDE);
  if (text.search(pattern) === -1) return undefined;
  const parts: string[] = [];
  const starts: number[] = [];
  let hasChanged = false;
  let at = 0;
  /** Backslashes belong to what they stand before. */
  let begun: number | undefined;
  const take = (bytes: string, length: number, each: 0 | 1) => {
    for (let byte = 0; byte < bytes.length; byte++)
      starts.push(begun !== undefined && byte === 0 ? begun : at + byte * each);
    begun = bytes === '' ? (begun ?? at) : undefined;
    if (bytes !== '') parts.push(bytes);
    at += length;
  };
  while (at < text.length) {
    pattern.lastIndex = at;
    const next = pattern.exec(text)?.index ?? text.length;
    if (next > at) take(text.slice(at, next), next - at, 1);
    if (at === text.length) break;
    const unit = unitAt(text, at);
    // `&amp;` becomes `&`: the length differs and the first character does not.
    hasChanged ||= unit.length !== 1 || unit.bytes !== text[at];
    take(unit.bytes, unit.length, 0);
  }
  return hasChanged ? { bytes: parts.join(''), starts } : undefined;
}

interface Unit {
  readonly bytes: string;
  /** How many characters of the text it takes. */
  readonly length: number;
}

function unitAt(text: string, at: number): Unit {
  const char = text[at] as string;
  if (char === '\\') return backslashes(text, at);
  if (char === '%') return percent(text, at) ?? { bytes: char, length: 1 };
  if (char === '&') return entity(text, at) ?? { bytes: char, length: 1 };
  const code = text.codePointAt(at) as number;
  return { bytes: utf8(code), length: code > 0xffff ? 2 : 1 };
}

const HEX_ESCAPE = /u([\dA-Fa-f]{4})|u\{([\dA-Fa-f]{1,6})\}|x([\dA-Fa-f]{2})/y;
const LOW_HALF = /\\+u([Dd][C-Fc-f][\dA-Fa-f]{2})/y;

/** `\"`, `\/`, `\u002B`, `\x2b`, with any number of backslashes. */
function backslashes(text: string, at: number): Unit {
  let end = at;
  while (text[end] === '\\') end++;
  const hex = matchAt(HEX_ESCAPE, text, end);
  if (!hex) return { bytes: '', length: end - at };
  const length = end + hex[0].length - at;
  const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16);
  const low = code >= 0xd800 && code < 0xdc00 ? matchAt(LOW_HALF, text, at + length) : undefined;
  if (!low) return { bytes: utf8(code), length };
  const whole = 0x10000 + (code - 0xd800) * 0x400 + (Number.parseInt(low[1] ?? '', 16) - 0xdc00);
  return { bytes: utf8(whole), length: length + low[0].length };
}

const PERCENT = /%(?:25)*([\dA-Fa-f]{2})/y;

/** `%2B`, and `%252B` where it was encoded twice. */
function percent(text: string, at: number): Unit | undefined {
  const match = matchAt(PERCENT, text, at);
  if (!match) return undefined;
  return { bytes: String.fromCharCode(Number.parseInt(match[1] ?? '', 16)), length: match[0].length };
}

const ENTITY = /&(?:amp;)*(?:#(\d{1,7})|#[xX]([\dA-Fa-f]{1,6})|(amp|quot|apos|lt|gt));/y;
const NAMED: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };

function entity(text: string, at: number): Unit | undefined {
  const match = matchAt(ENTITY, text, at);
  if (!match) return undefined;
  const [whole, decimal, hex, name = ''] = match;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return { bytes: NAMED[name] ?? utf8(code), length: whole.length };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** One character for each byte. */
function utf8(code: number): string {
  const more = (shift: number) => 0x80 | ((code >> shift) & 0x3f);
  if (code < 0x80) return String.fromCharCode(code);
  if (code < 0x800) return String.fromCharCode(0xc0 | (code >> 6), more(0));
  if (code < 0x10000) return String.fromCharCode(0xe0 | (code >> 12), more(6), more(0));
  return String.fromCharCode(0xf0 | ((code >> 18) & 7), more(12), more(6), more(0));
}
