// Parses markdown that grows. Blocks that are complete are parsed once; only the open block at the end is parsed again. Pure.
import { Lexer, type Token } from 'marked';

/** Some blocks of a text, small enough to be drawn at once. */
export interface MarkdownChunk {
  readonly id: number;
  readonly tokens: readonly Token[];
  /** The first block continues the last one of the chunk before, because that one became too large. */
  readonly isContinuation: boolean;
  /** Whether the last block may still change. */
  readonly isOpen: boolean;
}

type Links = Record<string, { href: string; title?: string | null }>;

/** In characters. A chunk is complete when it has as many. */
const CHUNK_SIZE = 2_000;
/** In characters. A larger open block is divided, so that parsing it again stays cheap. */
const MAX_OPEN_SIZE = 4_000;
/** In characters. A text that is complete is parsed in parts of this size. */
const PART_SIZE = 16_000;
/** In characters. In longer texts, a link definition counts only for the text after it. */
const MAX_REPARSED_SIZE = 64_000;

/** What may become an item of the list before it: a list mark without its text, or a thematic break such as `- - -`. */
const LIST_MARK = /^ {0,3}(?:[-+*][-*\s]*|\d{1,9}[.)]?\s*)$/;

export class MarkdownStream {
  #chunks: MarkdownChunk[] = [];
  #text = '';
  /** The end of the blocks that are complete. */
  #closedEnd = 0;
  /** Complete blocks that do not fill a chunk. */
  #gathered: Token[] = [];
  #gatheredSize = 0;
  #isGatheredContinuation = false;
  /** Put before the rest of a divided block, so that it is parsed as the same kind of block. */
  #prefix = '';
  #isOpenContinuation = false;
  #openTokens: readonly Token[] = [];
  #openLength = 0;
  /** The definitions of links that are complete, and all of them with the one that is open. */
  #closedLinks: Links = {};
  #links: Links = {};
  #hasNewLinks = false;
  #result: readonly MarkdownChunk[] | undefined;

  /** Whether a part of the text has not been parsed, because the time was used up. */
  get hasMore(): boolean {
    return this.#closedEnd + this.#openLength < this.#text.length;
  }

  /** The chunks of the text. `canContinue` is asked after each part of a long text. */
  update(source: string, canContinue: () => boolean = () => true): readonly MarkdownChunk[] {
    const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
    if (text === this.#text && !this.hasMore && this.#result) return this.#result;
    if (!text.startsWith(this.#text)) this.#reset();
    this.#text = text;
    do this.#parsePart();
    while (this.hasMore && canContinue());
    if (this.#hasNewLinks && text.length <= MAX_REPARSED_SIZE) this.#parseAgain();
    this.#hasNewLinks = false;
    this.#result = this.#collect();
    return this.#result;
  }

  #reset(): void {
    this.#chunks = [];
    this.#closedEnd = 0;
    this.#gathered = [];
    this.#gatheredSize = 0;
    this.#prefix = '';
    this.#isOpenContinuation = false;
    this.#openTokens = [];
    this.#openLength = 0;
    this.#closedLinks = {};
    this.#links = {};
  }

  #parseAgain(): void {
    const links = this.#links;
    this.#reset();
    this.#links = links;
    do this.#parsePart();
    while (this.hasMore);
  }

  #parsePart(): void {
    const end = findPartEnd(this.#text, this.#closedEnd);
    const tokens = this.#lex(this.#prefix + this.#text.slice(this.#closedEnd, end));
    const open = findOpenBlock(tokens);
    for (const token of tokens.slice(0, open)) this.#closeBlock(token);
    this.#openTokens = tokens.slice(open);
    this.#openLength = end - this.#closedEnd;
    if (this.#openLength > MAX_OPEN_SIZE) this.#divideOpenBlock();
  }

  /** Sets the links that this part defines. In a short text they count for the text before the part too. */
  #lex(text: string): Token[] {
    const lexer = new Lexer();
    let defined: Links;
    try {
      lexer.blockTokens(text, lexer.tokens);
      defined = { ...lexer.tokens.links, ...this.#closedLinks };
      Object.assign(lexer.tokens.links, defined, this.#links, defined);
      for (const { src, tokens } of lexer.inlineQueue) lexer.inlineTokens(src, tokens);
    } catch {
      // Thousands of nested quotes or lists exceed the stack of the parser.
      return [createPlainBlock(text)];
    }
    if (!isSameLinks(defined, this.#links)) {
      this.#links = defined;
      this.#hasNewLinks = true;
    }
    return [...lexer.tokens];
  }

  #closeBlock(token: Token): void {
    this.#gather(token);
    if (token.type === 'def') this.#closedLinks[token.tag] ??= { href: token.href, title: token.title };
    this.#closedEnd += token.raw.length - this.#prefix.length;
    this.#prefix = '';
    this.#isOpenContinuation = false;
  }

  #gather(token: Token): void {
    if (this.#gathered.length === 0) this.#isGatheredContinuation = this.#isOpenContinuation;
    this.#gathered.push(token);
    this.#gatheredSize += token.raw.length;
    if (this.#gatheredSize >= CHUNK_SIZE) this.#completeChunk();
  }

  #completeChunk(): void {
    if (this.#gathered.length === 0) return;
    const id = this.#chunks.length;
    const [tokens, isContinuation] = [this.#gathered, this.#isGatheredContinuation];
    this.#chunks.push({ id, tokens, isContinuation, isOpen: false });
    this.#gathered = [];
    this.#gatheredSize = 0;
  }

  /** Completes the lines of the open block that are there, except the last one. */
  #divideOpenBlock(): void {
    const raw = this.#text.slice(this.#closedEnd, this.#closedEnd + this.#openLength);
    const lineEnd = raw.lastIndexOf('\n', raw.length - 2) + 1;
    const end = lineEnd > 0 ? lineEnd : findWordEnd(raw);
    const tokens = this.#lex(this.#prefix + raw.slice(0, end));
    for (const token of tokens) this.#gather(token);
    // The rest of the block begins the next chunk.
    this.#completeChunk();
    this.#closedEnd += end;
    this.#prefix = findPrefix(tokens.findLast(({ type }) => type !== 'space'));
    this.#isOpenContinuation = true;
    this.#openTokens = this.#lex(this.#prefix + raw.slice(end));
    this.#openLength = raw.length - end;
  }

  #collect(): readonly MarkdownChunk[] {
    const tokens = [...this.#gathered, ...this.#openTokens];
    if (tokens.length === 0) return [...this.#chunks];
    const isContinuation = this.#gathered.length > 0 ? this.#isGatheredContinuation : this.#isOpenContinuation;
    return [...this.#chunks, { id: this.#chunks.length, tokens, isContinuation, isOpen: true }];
  }
}

function createPlainBlock(text: string): Token {
  return { type: 'paragraph', raw: text, text, tokens: [{ type: 'text', raw: text, text, escaped: false }] };
}

function isSameLinks(one: Links, other: Links): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => one[name]?.href === other[name]?.href && one[name]?.title === other[name]?.title);
}

/** Ends at a line break if the text is long. */
function findPartEnd(text: string, start: number): number {
  if (text.length - start <= PART_SIZE) return text.length;
  const lineEnd = text.lastIndexOf('\n', start + PART_SIZE);
  return lineEnd > start ? lineEnd + 1 : start + PART_SIZE;
}

/**
 * The index of the first block that more text may change: the last one that is not blank, and all before it up to a blank line.
 * The next characters decide whether the last lines are blocks of their own, or belong to a paragraph, a table or a heading that began several blocks before.
 */
function findOpenBlock(tokens: readonly Token[]): number {
  let open = tokens.findLastIndex(({ type }) => type !== 'space');
  if (LIST_MARK.test(tokens[open]?.raw ?? '')) {
    // The beginning of the next item of a list that ended with blank lines.
    open = tokens.findLastIndex(({ type }, at) => at < open && type !== 'space');
  }
  while (open > 0 && !tokens[open - 1]?.raw.endsWith('\n\n')) open--;
  return Math.max(0, open);
}

function findWordEnd(text: string): number {
  const blank = text.lastIndexOf(' ');
  return blank > 0 ? blank + 1 : text.length;
}

/** The first lines of a fenced code block that is not closed, and of a table. */
function findPrefix(token: Token | undefined): string {
  if (token?.type === 'table') return `${token.raw.split('\n', 2).join('\n')}\n`;
  const fence = token?.type === 'code' ? /^ {0,3}(`{3,}|~{3,})[^\n]*\n/.exec(token.raw) : null;
  if (!fence?.[1] || !token) return '';
  const lastLine = token.raw.trimEnd().split('\n').at(-1)?.trim() ?? '';
  const isClosed = token.raw.length > fence[0].length && lastLine.startsWith(fence[1]) && /^(`+|~+)$/.test(lastLine);
  return isClosed ? '' : fence[0];
}
