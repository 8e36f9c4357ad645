// Renders streamed Markdown as styled lines for a given width.
import { EMPTY_LINE, hardWrapLine, type Line, prefixLines, span, type TextStyle, wrapLine } from '../text/line.ts';
import { type Block, BlockParser } from './block-parser.ts';
import { highlightLinesOf } from './highlight-code.ts';
import { renderInline } from './render-inline.ts';
import { renderTable } from './render-table.ts';
import type { LineHighlighter } from './syntax-highlighter.ts';

const MAX_INDENT = 12;
const RULE_WIDTH = 40;

const CODE_STYLE: TextStyle = { colour: 'cyan' };
/** The language is the first word after the opening marks. */
const FENCE_LANGUAGE = /^[`~]+\{?\.?([^\s{}:,]*)/;

export class MarkdownRenderer {
  readonly #parser = new BlockParser();
  /** Set inside a code block. */
  #code: LineHighlighter | undefined;

  /** Returns the finished lines. Lines of code are not wrapped, so that the user can copy them. */
  push(text: string, width: number): Line[] {
    return this.#renderFinished(this.#parser.push(text), width);
  }

  /** Renders the unfinished end of the text as if it ended here. */
  renderPending(width: number): Line[] {
    return this.#parser
      .peek()
      .flatMap((block) =>
        block.kind === 'code' && this.#code ? [this.#code.peek(block.text)] : renderBlock(block, width),
      )
      .flatMap((line) => hardWrapLine(line, width));
  }

  end(width: number): Line[] {
    const lines = this.#renderFinished(this.#parser.end(), width);
    this.#code = undefined;
    return lines;
  }

  #renderFinished(blocks: readonly Block[], width: number): Line[] {
    return blocks.flatMap((block) => {
      if (block.kind === 'code' && this.#code) return [this.#code.push(block.text)];
      if (block.kind === 'fence') this.#code = this.#code ? undefined : openCode(block.text);
      return renderBlock(block, width);
    });
  }
}

function openCode(fence: string): LineHighlighter {
  const [, language = ''] = FENCE_LANGUAGE.exec(fence) ?? [];
  return highlightLinesOf(language, CODE_STYLE);
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
      return [[span(block.text, CODE_STYLE)]];
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
