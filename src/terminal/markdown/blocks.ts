// The hall, terminal: markdown cut into blocks while it is still being written. Pure; knows nothing of looks and widths.

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

interface Reading {
  /** May still grow with the next line. */
  readonly open: Block | undefined;
  /** Inside of code: how its end looks, and how far it is indented. */
  readonly fence: { readonly mark: string; readonly indent: number } | undefined;
}

type Step = readonly [finished: readonly Block[], next: Reading];

const FENCE = /^( {0,12})(`{3,}|~{3,}(?!~))([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?=\s|$)/;
const CLOSING_HASHES = /(?<=\s)#+$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(?:\s+(.*))?$/s;
const QUOTE = /^ {0,3}>\s?(.*)$/s;
const DELIMITER_CELL = /^:?-+:?$/;
const BLANK = /^\s*$/;

const START: Reading = { open: undefined, fence: undefined };

/** Text in pieces, however it is cut; blocks as soon as nothing that follows can change them. */
export class BlockStream {
  #reading = START;
  #line = '';

  push(text: string): Block[] {
    // Only the new text is searched: a line of a megabyte may arrive in pieces of a few letters.
    const [first = '', ...others] = text.split('\n');
    const last = others.pop();
    if (last === undefined) {
      this.#line += first;
      return [];
    }
    const lines = [this.#line + first, ...others];
    this.#line = last;
    return lines.flatMap((line) => this.#take(line));
  }

  /** What the text so far would end with. */
  tail(): Block[] {
    const [finished, { open }] = this.#line === '' ? [[], this.#reading] : step(copied(this.#reading), this.#line);
    return open ? [...finished, open] : [...finished];
  }

  end(): Block[] {
    const blocks = this.tail();
    this.#reading = START;
    this.#line = '';
    return blocks;
  }

  #take(line: string): readonly Block[] {
    const [finished, next] = step(this.#reading, line.replace(/\r$/, ''));
    this.#reading = next;
    return finished;
  }
}

function step(reading: Reading, line: string): Step {
  const { open, fence } = reading;
  if (fence) return insideCode(reading, fence, line);
  const before = open ? [open] : [];
  if (BLANK.test(line)) return [[...before, { kind: 'blank' }], START];
  const [, indent = '', mark, info = ''] = FENCE.exec(line) ?? [];
  if (mark) {
    const next = { open: undefined, fence: { mark, indent: indent.length } };
    return [[...before, { kind: 'fence', text: `${mark}${info.trimStart()}` }], next];
  }
  return grown(open, line) ?? [before, begun(line)];
}

function insideCode(reading: Reading, { mark, indent }: NonNullable<Reading['fence']>, line: string): Step {
  const end = line.trim();
  const closes = end.length >= mark.length && end === (mark[0] ?? '').repeat(end.length);
  if (closes) return [[{ kind: 'fence', text: mark }], START];
  const own = line.slice(0, indent).trim() === '' ? line.slice(indent) : line;
  return [[{ kind: 'code', text: own }], reading];
}

/** The open block with this line added, or what it becomes by it; `undefined` when the line begins something else. */
function grown(open: Block | undefined, line: string): Step | undefined {
  if (!open) return undefined;
  if (open.kind === 'table') return line.includes('|') ? grownBy(open, open.rows, line) : undefined;
  if (open.kind === 'quote') {
    const quoted = QUOTE.exec(line)?.[1];
    if (quoted !== undefined) return grownBy(open, open.lines, quoted);
  }
  if (open.kind === 'paragraph' && open.indent === 0) {
    const [first = ''] = open.lines;
    const isTable = open.lines.length === 1 && first.includes('|') && line.includes('|') && isDelimiter(line);
    if (isTable) return growing({ kind: 'table', rows: [first, line] });
    const underline = UNDERLINE.exec(line)?.[1];
    if (underline) {
      return [[{ kind: 'heading', level: underline[0] === '=' ? 1 : 2, text: open.lines.join(' ') }], START];
    }
  }
  return 'lines' in open && !beginsBlock(line) ? grownBy(open, open.lines, line.trimStart()) : undefined;
}

/** The block itself grows: copying its lines for every line would take time that grows with their square. */
function grownBy(open: Block, lines: readonly string[], line: string): Step {
  (lines as string[]).push(line);
  return growing(open);
}

/** For a look at what the next line would make of it. */
function copied({ open, fence }: Reading): Reading {
  if (!open) return { open, fence };
  if (open.kind === 'table') return { open: { ...open, rows: [...open.rows] }, fence };
  return { open: 'lines' in open ? { ...open, lines: [...open.lines] } : open, fence };
}

function growing(open: Block): Step {
  return [[], { open, fence: undefined }];
}

function beginsBlock(line: string): boolean {
  return HEADING.test(line) || RULE.test(line) || ITEM.test(line) || QUOTE.test(line);
}

function begun(line: string): Reading {
  return { open: blockOf(line), fence: undefined };
}

function blockOf(line: string): Block {
  const [start = '', hashes] = HEADING.exec(line) ?? [];
  if (hashes) return { kind: 'heading', level: hashes.length, text: titleOf(line.slice(start.length)) };
  if (RULE.test(line)) return { kind: 'rule' };
  const [, indent = '', marker, text = ''] = ITEM.exec(line) ?? [];
  if (marker) return { kind: 'item', indent: indent.length, marker, lines: [text] };
  const quoted = QUOTE.exec(line)?.[1];
  if (quoted !== undefined) return { kind: 'quote', lines: [quoted] };
  const own = line.trimStart();
  return { kind: 'paragraph', indent: line.length - own.length, lines: [own] };
}

/** Hashes at the end belong to the title only where they are all of it. */
function titleOf(rest: string): string {
  const title = rest.trim();
  return title.replace(CLOSING_HASHES, '').trimEnd();
}

function isDelimiter(line: string): boolean {
  const row = line.trim();
  const inner = row.slice(row.startsWith('|') ? 1 : 0, row.length > 1 && row.endsWith('|') ? -1 : undefined);
  return inner.split('|').every((cell) => DELIMITER_CELL.test(cell.trim()));
}
