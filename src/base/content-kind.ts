// Detects whether a file is text, binary or an image, from its first bytes and never from its name.

export type ContentKind = { kind: 'text' } | { kind: 'binary' } | { kind: 'image'; mimeType: string };

/** Number of bytes from the start that are inspected. */
export const SNIFF_BYTES = 8 * 1024;

export function detectContentKind(head: Uint8Array): ContentKind {
  const mimeType = detectImageType(head);
  if (mimeType) return { kind: 'image', mimeType };
  // Text has no NUL byte; nearly every binary format has one near the start.
  return { kind: head.subarray(0, SNIFF_BYTES).includes(0) ? 'binary' : 'text' };
}

export function detectImageType(head: Uint8Array): string | undefined {
  const signature = Buffer.from(head.subarray(0, 12)).toString('latin1');
  if (signature.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (signature.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (signature.startsWith('GIF87a') || signature.startsWith('GIF89a')) return 'image/gif';
  if (signature.startsWith('RIFF') && signature.slice(8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}
