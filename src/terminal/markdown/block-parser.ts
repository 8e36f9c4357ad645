// Splits streamed Markdown into blocks.

export type Block =
  | { readonly kind: 'blank' }
  | { readonly kind: 'rule' }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly indent: number; readonly lines: readonly string[] }
  | { readonly kind: 'item'; readonly indent: number; readonly marker: string; readonly lines: readonly string[] }
  | { readonly kind: 'quote'; readonly lines: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly string[] }
  | { readonly kind: 'fence'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string };

interface ParserState {
  /** The next line may still extend or change this block. */
  readonly open: Block | undefined;
  /** Set inside a code block: the opening fence marker and its indentation. */
  readonly fence: { readonly mark: string; readonly indent: number } | undefined;
}

type StepResult = readonly [finished: readonly Block[], next: ParserState];

const FENCE = /^( {0,12})(`{3,}|~{3,}(?!~))([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?=\s|$)/;
const CLOSING_HASHES = /(?<=\s)#+$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(?:\s+(.*))?$/s;
const QUOTE = /^ {0,3}>\s?(.*)$/s;
const DELIMITER_CELL = /^:?-+:?$/;
const BLANK = /^\s*$/;

const INITIAL_STATE: ParserState = { open: undefined, fence: undefined };

/** Accepts text in arbitrary pieces. Emits a block as soon as later text cannot change it. */
export class BlockParser {
  #state = INITIAL_STATE;
  #line = '';

  push(text: string): Block[] {
    // Search only the new text for newlines: a line of a megabyte may arrive in pieces of a few characters.
    const [first = '', ...others] = text.split('\n');
    const last = others.pop();
    if (last === undefined) {
      this.#line += first;
      return [];
    }
    const lines = [this.#line + first, ...others];
    this.#line = last;
    return lines.flatMap((line) => this.#parseLine(line));
  }

  /** The blocks that would follow if the text ended here. Does not change the state. */
  peek(): Block[] {
    const [finished, { open }] = this.#line === '' ? [[], this.#state] : parseLine(copyState(this.#state), this.#line);
    return open ? [...finished, open] : [...finished];
  }

  end(): Block[] {
    const blocks = this.peek();
    this.#state = INITIAL_STATE;
    this.#line = '';
    return blocks;
  }

  #parseLine(line: string): readonly Block[] {
    const [finished, next] = parseLine(this.#state, line.replace(/\r$/, ''));
    this.#state = next;
    return finished;
  }
}

function parseLine(parserState: ParserState, line: string): StepResult {
  const { open, fence } = parserState;
  if (fence) return parseFencedLine(parserState, fence, line);
  const before = open ? [open] : [];
  if (BLANK.test(line)) return [[...before, { kind: 'blank' }], INITIAL_STATE];
  const [, indent = '', mark, info = ''] = FENCE.exec(line) ?? [];
  if (mark) {
    const next = { open: undefined, fence: { mark, indent: indent.length } };
    return [[...before, { kind: 'fence', text: `${mark}${info.trimStart()}` }], next];
  }
  return continueBlock(open, line) ?? [before, openBlock(line)];
}

function parseFencedLine(
  parserState: ParserState,
  { mark, indent }: NonNullable<ParserState['fence']>,
  line: string,
): StepResult {
  const end = line.trim();
  const closes = end.length >= mark.length && end === (mark[0] ?? '').repeat(end.length);
  if (closes) return [[{ kind: 'fence', text: mark }], INITIAL_STATE];
  const text = line.slice(0, indent).trim() === '' ? line.slice(indent) : line;
  return [[{ kind: 'code', text }], parserState];
}

/** Adds the line to the open block, or converts the block. `undefined` when the line starts a new block. */
function continueBlock(open: Block | undefined, line: string): StepResult | undefined {
  if (!open) return undefined;
  if (open.kind === 'table') return line.includes('|') ? appendLine(open, open.rows, line) : undefined;
  if (open.kind === 'quote') {
    const quoted = QUOTE.exec(line)?.[1];
    if (quoted !== undefined) return appendLine(open, open.lines, quoted);
  }
  if (open.kind === 'paragraph' && open.indent === 0) {
    const [first = ''] = open.lines;
    const isTable = open.lines.length === 1 && first.includes('|') && line.includes('|') && isTableDelimiter(line);
    if (isTable) return keepOpen({ kind: 'table', rows: [first, line] });
    const underline = UNDERLINE.exec(line)?.[1];
    if (underline) {
      return [[{ kind: 'heading', level: underline[0] === '=' ? 1 : 2, text: open.lines.join(' ') }], INITIAL_STATE];
    }
  }
  return 'lines' in open && !startsBlock(line) ? appendLine(open, open.lines, line.trimStart()) : undefined;
}

/** Mutates the block: copying its lines for every new line would take quadratic time. */
function appendLine(open: Block, lines: readonly string[], line: string): StepResult {
  (lines as string[]).push(line);
  return keepOpen(open);
}

/** For `peek`, because `appendLine` mutates the block. */
function copyState({ open, fence }: ParserState): ParserState {
  if (!open) return { open, fence };
  if (open.kind === 'table') return { open: { ...open, rows: [...open.rows] }, fence };
  return { open: 'lines' in open ? { ...open, lines: [...open.lines] } : open, fence };
}

function keepOpen(open: Block): StepResult {
  return [[], { open, fence: undefined }];
}

function startsBlock(line: string): boolean {
  return HEADING.test(line) || RULE.test(line) || ITEM.test(line) || QUOTE.test(line);
}

function openBlock(line: string): ParserState {
  return { open: parseBlock(line), fence: undefined };
}

function parseBlock(line: string): Block {
  const [start = '', hashes] = HEADING.exec(line) ?? [];
  if (hashes) return { kind: 'heading', level: hashes.length, text: parseHeadingText(line.slice(start.length)) };
  if (RULE.test(line)) return { kind: 'rule' };
  const [, indent = '', marker, itemText = ''] = ITEM.exec(line) ?? [];
  if (marker) return { kind: 'item', indent: indent.length, marker, lines: [itemText] };
  const quoted = QUOTE.exec(line)?.[1];
  if (quoted !== undefined) return { kind: 'quote', lines: [quoted] };
  const text = line.trimStart();
  return { kind: 'paragraph', indent: line.length - text.length, lines: [text] };
}

/** Removes closing hashes, unless the title consists of hashes only. */
function parseHeadingText(text: string): string {
  const title = text.trim();
  return title.replace(CLOSING_HASHES, '').trimEnd();
}

function isTableDelimiter(line: string): boolean {
  const row = line.trim();
  const inner = row.slice(row.startsWith('|') ? 1 : 0, row.length > 1 && row.endsWith('|') ? -1 : undefined);
  return inner.split('|').every((cell) => DELIMITER_CELL.test(cell.trim()));
}
