// Parses a base64 image: detects its type from the first bytes and normalizes the base64 to the form that all providers accept.
import { detectImageType } from './content-kind.ts';

export interface Base64Image {
  /** Base64 in the standard alphabet, padded, without line breaks. */
  readonly data: string;
  readonly mimeType: string;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Base64 characters that cover the longest signature (WebP, 12 bytes). */
const SIGNATURE_CHARACTERS = 24;
/** Longest accepted part of a data URL before the comma, in characters. */
const MAX_DATA_URL_PREFIX = 200;

/** Detects the type from the bytes and ignores a declared type. Accepts a data URL. `problem` completes "the image …". */
export function parseBase64Image(input: string): Base64Image | { readonly problem: string } {
  const text = stripDataUrlPrefix(input);
  if (text === undefined) return { problem: 'is a data URL without base64' };
  const data = normalizeBase64(text);
  if (data === '') return { problem: 'is empty' };
  if (data.length % 4 !== 0 || !BASE64.test(data)) return { problem: 'is not base64' };
  const mimeType = detectImageType(Buffer.from(data.slice(0, SIGNATURE_CHARACTERS), 'base64'));
  return mimeType ? { data, mimeType } : { problem: 'is not a PNG, JPEG, GIF or WebP image' };
}

function stripDataUrlPrefix(input: string): string | undefined {
  if (!/^\s*data:/i.test(input.slice(0, MAX_DATA_URL_PREFIX))) return input;
  const comma = input.indexOf(',');
  if (comma === -1 || comma > MAX_DATA_URL_PREFIX) return undefined;
  return /;\s*base64\s*$/i.test(input.slice(0, comma)) ? input.slice(comma + 1) : undefined;
}

/** Removes line breaks, converts the URL-safe alphabet and adds padding: not every provider accepts the variants. */
function normalizeBase64(text: string): string {
  const plain = /[\s_-]/.test(text) ? text.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/') : text;
  return plain.length % 4 > 1 ? plain.padEnd(plain.length + 4 - (plain.length % 4), '=') : plain;
}
