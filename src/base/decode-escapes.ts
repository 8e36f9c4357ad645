// Decodes escapes of JSON, URLs and HTML, and maps each decoded byte to its place in the text. For searching only: the result is never shown.

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
export function decodeEscapes(text: string, isBytes = false): DecodedText {
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
