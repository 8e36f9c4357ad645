// Ground floor: what a file holds, judged by its first bytes and never by its name.

export type ContentKind = { kind: 'text' } | { kind: 'binary' } | { kind: 'image'; mimeType: string };

/** How many bytes from the start are enough to judge. */
export const SNIFF_BYTES = 8 * 1024;

export function contentKind(head: Uint8Array): ContentKind {
  const mimeType = imageType(head);
  if (mimeType) return { kind: 'image', mimeType };
  // Text has no NUL; nearly everything else has one soon.
  return { kind: head.subarray(0, SNIFF_BYTES).includes(0) ? 'binary' : 'text' };
}

export function imageType(head: Uint8Array): string | undefined {
  const letters = Buffer.from(head.subarray(0, 12)).toString('latin1');
  if (letters.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (letters.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (letters.startsWith('GIF87a') || letters.startsWith('GIF89a')) return 'image/gif';
  if (letters.startsWith('RIFF') && letters.slice(8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}
