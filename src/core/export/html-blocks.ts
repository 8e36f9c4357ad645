// Renders the content blocks of a message: text, images, collapsible sections. Returns escaped HTML.
import { extractText, type ImageContent } from '../../protocol/index.ts';
import { escapeHtml, renderLink, toImageDataUrl } from './escape.ts';
import type { MarkupRenderers } from './markup-batch.ts';

export type MessageContent = string | readonly ({ type: 'text'; text: string } | ImageContent)[];

/** Longer output is collapsed. */
const MAX_OPEN_LINES = 12;

export function renderContent(content: MessageContent, render: MarkupRenderers): string {
  const text = extractText(content);
  return `${text === '' ? '' : `<div class="prose">${render.markdown(text)}</div>`}${renderImages(content)}`;
}

export function renderImages(content: MessageContent): string {
  if (typeof content === 'string') return '';
  return content.map((block) => (block.type === 'image' ? renderImage(block) : '')).join('');
}

function renderImage(block: ImageContent): string {
  if ('source' in block) return `<p>${renderLink(block.source.url, escapeHtml(block.source.url))}</p>`;
  const source = toImageDataUrl(block.mimeType, block.data);
  return source ? `<img class="picture" alt="image" src="${source}">` : '<p>(image of an unsupported type)</p>';
}

export function renderDetails(title: string, body: string): string {
  return `<details><summary>${escapeHtml(title)}</summary>${body}</details>`;
}

/** Collapses long output; the summary shows its first line. */
export function renderDetailsIfLong(body: string, text: string): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length <= MAX_OPEN_LINES) return body;
  return renderDetails(`${lines.length} lines: ${(lines[0] ?? '').slice(0, 100)}`, body);
}

export function renderTextBlock(text: string): string {
  return text === '' ? '' : `<pre class="output"><code>${escapeHtml(text)}</code></pre>`;
}
