// First floor, core: text that may stand in a page. Pure; the one place that decides what is safe.

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is being removed
const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Safe between tags and inside quoted attributes. Control characters that no browser shows are dropped. */
export function escapeHtml(text: string): string {
  return text.replace(INVISIBLE, '').replace(/[&<>"']/g, (c) => ENTITIES[c] as string);
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

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Image bytes as an address; only real image types, and nothing but base64. */
export function dataImage(mimeType: string, data: string): string | undefined {
  if (!IMAGE_TYPES.has(mimeType) || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  return `data:${mimeType};base64,${data}`;
}
