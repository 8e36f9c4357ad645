// Renders streamed Markdown as styled lines for a given width.
import { EMPTY_LINE, hardWrapLine, type Line, prefixLines, span, wrapLine } from '../text/line.ts';
import { type Block, BlockParser } from './block-parser.ts';
import { renderInline } from './render-inline.ts';
import { renderTable } from './render-table.ts';

const MAX_INDENT = 12;
const RULE_WIDTH = 40;

export class MarkdownRenderer {
  readonly #parser = new BlockParser();

  /** Returns the finished lines. Lines of code are not wrapped, so that the user can copy them. */
  push(text: string, width: number): Line[] {
    return this.#parser.push(text).flatMap((block) => renderBlock(block, width));
  }

  /** Renders the unfinished end of the text as if it ended here. */
  renderPending(width: number): Line[] {
    return this.#parser
      .peek()
      .flatMap((block) => renderBlock(block, width))
      .flatMap((line) => hardWrapLine(line, width));
  }

  end(width: number): Line[] {
    return this.#parser.end().flatMap((block) => renderBlock(block, width));
  }
}

export function renderMarkdown(text: string, width: number): Line[] {
  const renderer = new MarkdownRenderer();
  return [...renderer.push(text, width), ...renderer.end(width)];
}

export function renderBlock(block: Block, width: number): Line[] {
  switch (block.kind) {
    case 'blank':
      return [EMPTY_LINE];
    case 'rule':
      return [[span('─'.repeat(Math.min(RULE_WIDTH, width)), { dim: true })]];
    case 'heading':
      return renderText([block.text], '', width, { bold: true, underline: block.level === 1, colour: 'magenta' });
    case 'paragraph':
      return renderText(block.lines, ' '.repeat(Math.min(MAX_INDENT, block.indent)), width);
    case 'item':
      return renderText(
        block.lines,
        `${' '.repeat(Math.min(MAX_INDENT, block.indent))}${formatBullet(block.marker)} `,
        width,
      );
    case 'quote':
      return renderInline(block.lines.join('\n'), { italic: true })
        .flatMap((line) => wrapLine(line, width - 2))
        .map((line) => [span('│ ', { dim: true }), ...line]);
    case 'table':
      return (
        renderTable(block.rows, width) ??
        block.rows.flatMap((row) => renderInline(row)).flatMap((l) => wrapLine(l, width))
      );
    case 'fence':
      return [[span(block.text, { dim: true })]];
    case 'code':
      return [[span(block.text, { colour: 'cyan' })]];
  }
}

function formatBullet(marker: string): string {
  return /\d/.test(marker) ? marker : '•';
}

function renderText(lines: readonly string[], prefix: string, width: number, style = {}): Line[] {
  const body = renderInline(replaceCheckbox(lines.join('\n')), style).flatMap((line) =>
    wrapLine(line, width - prefix.length),
  );
  return prefix === '' ? body : prefixLines([span(prefix)], body);
}

/** Replaces `[ ]` and `[x]` by box characters. */
function replaceCheckbox(text: string): string {
  return text.replace(/^\[( |x|X)\] /, (_, mark: string) => (mark === ' ' ? '☐ ' : '☑ '));
}
