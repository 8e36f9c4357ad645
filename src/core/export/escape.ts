// Escapes text and checks URLs for the HTML export. Pure. All decisions about what is safe are in this file.

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/**
 * Safe between tags and inside quoted attributes. Accepts any value, because a log may contain another type instead of a string.
 * Invisible control characters are dropped.
 */
export function escapeHtml(value: unknown): string {
  return toText(value)
    .replace(CONTROL_CHARACTERS, '')
    .replace(/[&<>"']/g, (c) => ENTITIES[c] as string);
}

/** Like escapeHtml, but keeps character references such as `&copy;`. Not for attributes. */
export function escapeProse(text: string): string {
  return escapeHtml(text).replace(/&amp;(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/gi, '&$1;');
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? '(not text)' : String(value);
}

/** Returns the URL if it may be a link; `undefined` for other schemes, which are shown as text. */
export function toSafeUrl(address: string): string | undefined {
  try {
    const url = new URL(address);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Renders a link if the URL is safe, otherwise only its text. `html` must already be escaped. */
export function renderLink(address: string, html: string): string {
  const safeUrl = toSafeUrl(address);
  if (!safeUrl) return html;
  return `<a href="${escapeHtml(safeUrl)}" target="_blank" rel="noopener noreferrer nofollow">${html}</a>`;
}

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Returns a data URL, only for known image types and valid base64. */
export function toImageDataUrl(mimeType: string, data: string): string | undefined {
  if (!IMAGE_TYPES.has(mimeType) || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  return `data:${mimeType};base64,${data}`;
}
