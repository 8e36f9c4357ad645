// Reads an image that somebody sent as base64: what it is by its first bytes, in the one spelling that all providers accept. Pure.
import { imageType } from './content-kind.ts';

export interface ImageBytes {
  /** Base64 in the standard alphabet, padded, without line breaks. */
  readonly data: string;
  readonly mimeType: string;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Enough characters of base64 for the longest signature, that of WebP. */
const HEAD = 24;
/** A data URL names its type before the comma. */
const LONGEST_TYPE = 200;

/** The type follows from the bytes, whatever is said about it. A data URL is unwrapped. `problem` completes "the image …". */
export function readImage(given: string): ImageBytes | { readonly problem: string } {
  const text = unwrapped(given);
  if (text === undefined) return { problem: 'is a data URL without base64' };
  const data = padded(text);
  if (data === '') return { problem: 'is empty' };
  if (data.length % 4 !== 0 || !BASE64.test(data)) return { problem: 'is not base64' };
  const mimeType = imageType(Buffer.from(data.slice(0, HEAD), 'base64'));
  return mimeType ? { data, mimeType } : { problem: 'is not a PNG, JPEG, GIF or WebP image' };
}

function unwrapped(given: string): string | undefined {
  if (!/^\s*data:/i.test(given.slice(0, LONGEST_TYPE))) return given;
  const comma = given.indexOf(',');
  if (comma === -1 || comma > LONGEST_TYPE) return undefined;
  return /;\s*base64\s*$/i.test(given.slice(0, comma)) ? given.slice(comma + 1) : undefined;
}

/** Line breaks, the alphabet of URLs and missing padding are common, and not every provider accepts them. */
function padded(text: string): string {
  const plain = /[\s_-]/.test(text) ? text.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/') : text;
  return plain.length % 4 > 1 ? plain.padEnd(plain.length + 4 - (plain.length % 4), '=') : plain;
}
