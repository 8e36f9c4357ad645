// First floor, core: text that may stand in a page. Pure; the one place that decides what is safe.

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is being removed
const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/**
 * Safe between tags and inside quoted attributes, whatever a log holds in the place of a text. Control characters that no
 * browser shows are dropped.
 */
export function escapeHtml(value: unknown): string {
  return plain(value)
    .replace(INVISIBLE, '')
    .replace(/[&<>"']/g, (c) => ENTITIES[c] as string);
}

/** The same for prose, where a reference such as `&copy;` means its character. Not for attributes. */
export function escapeProse(text: string): string {
  return escapeHtml(text).replace(/&amp;(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/gi, '&$1;');
}

function plain(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? '(not text)' : String(value);
}

/** An address that a click may follow. Everything else is shown as text. */
export function safeLink(address: string): string | undefined {
  try {
    const url = new URL(address);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Words that lead to an address when it is safe, and only words when it is not. `html` is safe already. */
export function linked(address: string, html: string): string {
  const target = safeLink(address);
  if (!target) return html;
  return `<a href="${escapeHtml(target)}" target="_blank" rel="noopener noreferrer nofollow">${html}</a>`;
}

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Image bytes as an address; only real image types, and nothing but base64. */
export function dataImage(mimeType: string, data: string): string | undefined {
  if (!IMAGE_TYPES.has(mimeType) || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  return `data:${mimeType};base64,${data}`;
}
