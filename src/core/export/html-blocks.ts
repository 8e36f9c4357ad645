// Renders the content blocks of a message: text, images, collapsible sections. Returns escaped HTML.
import { extractText, type ImageContent } from '../../protocol/index.ts';
import { escapeHtml, renderLink, toImageDataUrl } from './escape.ts';
import { countLines, formatCount, shortenLine } from './format.ts';
import type { MarkupRenderers } from './markup-batch.ts';

export type MessageContent = string | readonly ({ type: 'text'; text: string } | ImageContent)[];

/** Longer output is collapsed. */
const MAX_OPEN_LINES = 12;
const MAX_OPEN_LENGTH = 2000;

export function renderContent(content: MessageContent, render: MarkupRenderers): string {
  const text = extractText(content);
  return `${text === '' ? '' : renderProse(text, render)}${renderImages(content)}`;
}

export function renderProse(text: string, render: MarkupRenderers): string {
  return `<div class="prose">${render.markdown(text)}</div>`;
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

/** `title` says what is inside, `preview` shows the beginning of it. */
export function renderDetails(title: string, body: string, preview = ''): string {
  const excerpt = preview === '' ? '' : ` <span class="preview">${escapeHtml(preview)}</span>`;
  return `<details><summary><span class="fold">${escapeHtml(title)}</span>${excerpt}</summary>${body}</details>`;
}

export function isLong(text: string): boolean {
  return text.length > MAX_OPEN_LENGTH || countLines(text) > MAX_OPEN_LINES;
}

/** Collapses long output. `describe` gets the number of lines as a text, and returns the title. */
export function renderOutput(text: string, describe: (lineCount: string) => string): string {
  const block = renderTextBlock(text);
  if (!isLong(text)) return block;
  return renderDetails(
    describe(formatCount(countLines(text), 'line')),
    block,
    shortenLine(text.trimStart().split('\n', 1)[0] ?? '', 100),
  );
}

export function renderTextBlock(text: string): string {
  return text === '' ? '' : `<pre class="output"><code>${escapeHtml(text)}</code></pre>`;
}
