// First floor, core: what messages of the page are made of: prose, text, pictures, folds. Gives safe HTML.
import { type ImageContent, textOf } from '../../protocol/index.ts';
import { dataImage, escapeHtml, linked } from './escape.ts';
import type { Renderers } from './markup-texts.ts';

export type Content = string | readonly ({ type: 'text'; text: string } | ImageContent)[];

/** Shorter output stands open. */
const MOST_LINES = 12;

export function contentView(content: Content, render: Renderers): string {
  const text = textOf(content);
  return `${text === '' ? '' : `<div class="prose">${render.markdown(text)}</div>`}${images(content)}`;
}

export function images(content: Content): string {
  if (typeof content === 'string') return '';
  return content.map((block) => (block.type === 'image' ? image(block) : '')).join('');
}

function image(block: ImageContent): string {
  if ('source' in block) return `<p>${linked(block.source.url, escapeHtml(block.source.url))}</p>`;
  const source = dataImage(block.mimeType, block.data);
  return source ? `<img class="picture" alt="image" src="${source}">` : '<p>(an image of an unknown kind)</p>';
}

export function folded(title: string, body: string): string {
  return `<details><summary>${escapeHtml(title)}</summary>${body}</details>`;
}

/** Long output is folded under its first line. */
export function foldedLong(body: string, text: string): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length <= MOST_LINES) return body;
  return folded(`${lines.length} lines: ${(lines[0] ?? '').slice(0, 100)}`, body);
}

export function textBlock(text: string): string {
  return text === '' ? '' : `<pre class="output"><code>${escapeHtml(text)}</code></pre>`;
}
