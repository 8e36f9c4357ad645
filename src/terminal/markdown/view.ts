// The hall, terminal: markdown as lines for a terminal of some width, while it is still being written. Pure but for what is open.
import { EMPTY, folded, type Line, prefixed, span, wrapped } from '../text/line.ts';
import { type Block, BlockStream } from './blocks.ts';
import { inlineLines } from './inline.ts';
import { tableLines } from './table.ts';

const DEEPEST = 12;
const RULE_WIDTH = 40;

export class MarkdownView {
  readonly #blocks = new BlockStream();

  /** Lines that are finished. Those of code are as long as they are, so that they can be copied. */
  push(text: string, width: number): Line[] {
    return this.#blocks.push(text).flatMap((block) => blockLines(block, width));
  }

  /** How the rest would look if it ended here. */
  tail(width: number): Line[] {
    return this.#blocks
      .tail()
      .flatMap((block) => blockLines(block, width))
      .flatMap((line) => folded(line, width));
  }

  end(width: number): Line[] {
    return this.#blocks.end().flatMap((block) => blockLines(block, width));
  }
}

/** A text that is whole. */
export function markdownLines(text: string, width: number): Line[] {
  const view = new MarkdownView();
  return [...view.push(text, width), ...view.end(width)];
}

export function blockLines(block: Block, width: number): Line[] {
  switch (block.kind) {
    case 'blank':
      return [EMPTY];
    case 'rule':
      return [[span('─'.repeat(Math.min(RULE_WIDTH, width)), { dim: true })]];
    case 'heading':
      return words([block.text], '', width, { bold: true, underline: block.level === 1, colour: 'magenta' });
    case 'paragraph':
      return words(block.lines, ' '.repeat(Math.min(DEEPEST, block.indent)), width);
    case 'item':
      return words(block.lines, `${' '.repeat(Math.min(DEEPEST, block.indent))}${bullet(block.marker)} `, width);
    case 'quote':
      return inlineLines(block.lines.join('\n'), { italic: true })
        .flatMap((line) => wrapped(line, width - 2))
        .map((line) => [span('│ ', { dim: true }), ...line]);
    case 'table':
      return (
        tableLines(block.rows, width) ?? block.rows.flatMap((row) => inlineLines(row)).flatMap((l) => wrapped(l, width))
      );
    case 'fence':
      return [[span(block.text, { dim: true })]];
    case 'code':
      return [[span(block.text, { colour: 'cyan' })]];
  }
}

function bullet(marker: string): string {
  return /\d/.test(marker) ? marker : '•';
}

function words(lines: readonly string[], prefix: string, width: number, look = {}): Line[] {
  const body = inlineLines(checked(lines.join('\n')), look).flatMap((line) => wrapped(line, width - prefix.length));
  return prefix === '' ? body : prefixed([span(prefix)], body);
}

/** `[x] done` as a box. */
function checked(text: string): string {
  return text.replace(/^\[( |x|X)\] /, (_, mark: string) => (mark === ' ' ? '☐ ' : '☑ '));
}
