// Parses Markdown frontmatter: the YAML subset that is commonly used between the `---` lines.
import { Fault } from './fault.ts';
import { isRecord } from './json.ts';

export interface FrontmatterDocument {
  /** Empty when the text has no frontmatter. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface FrontmatterLine {
  readonly indent: number;
  readonly text: string;
  /** Line number in the file, 1-based. */
  readonly number: number;
}

const FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/;

/** Throws a Fault that names the line. */
export function parseFrontmatter(text: string): FrontmatterDocument {
  const match = FRONTMATTER.exec(text);
  if (!match) return { fields: {}, body: text };
  const lines = (match[1] ?? '').split(/\r?\n/).map((line, index) => parseLine(line, index + 2));
  const fields = new FrontmatterParser(lines).parse();
  return { fields, body: text.slice(match[0].length).replace(/^(?:[ \t]*\r?\n)+/, '') };
}

function parseLine(raw: string, number: number): FrontmatterLine {
  const text = raw.trimStart();
  return { indent: raw.length - text.length, text: text.trimEnd(), number };
}

function isBlankOrComment({ text }: FrontmatterLine): boolean {
  return text === '' || text.startsWith('#');
}

const KEY =
  /^(?:"((?:[^"\\]|\\.)*)"[ \t]*|'((?:[^']|'')*)'[ \t]*|([^\s:#\-"'[\]{}][^:#]*|-[^\s:][^:#]*)):(?:[ \t]+(.*))?$/s;
const ITEM = /^-(?:[ \t]+(.*))?$/s;
const BLOCK = /^([|>])([+-]?)$/;
/** Limit of nested blocks, so that a crafted file cannot overflow the stack. */
const MAX_DEPTH = 20;

class FrontmatterParser {
  readonly #lines: readonly FrontmatterLine[];
  #position = 0;

  constructor(lines: readonly FrontmatterLine[]) {
    this.#lines = lines;
  }

  parse(): Record<string, unknown> {
    const value = this.#parseBlock(0, 0);
    const unparsed = this.#peek();
    if (unparsed) throw createLineFault(unparsed, 'has an unexpected indentation');
    if (value === undefined) return {};
    if (!isRecord(value)) throw new Fault('config', 'the fields between the --- lines must be `name: value` pairs');
    return value;
  }

  /** The next line that is neither blank nor a comment. */
  #peek(): FrontmatterLine | undefined {
    while (this.#position < this.#lines.length && isBlankOrComment(this.#lines[this.#position] as FrontmatterLine))
      this.#position += 1;
    return this.#lines[this.#position];
  }

  #parseBlock(minIndent: number, depth: number): unknown {
    const first = this.#peek();
    if (!first || first.indent < minIndent) return undefined;
    if (depth > MAX_DEPTH) throw createLineFault(first, 'is nested too deeply');
    return ITEM.test(first.text) ? this.#parseList(first.indent, depth) : this.#parseMap(first.indent, depth);
  }

  #parseMap(indent: number, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (let line = this.#peek(); line && line.indent === indent && !ITEM.test(line.text); line = this.#peek()) {
      const match = KEY.exec(line.text);
      if (!match) throw createLineFault(line, 'is not `name: value`');
      const key =
        match[1] === undefined
          ? (match[2]?.replaceAll("''", "'") ?? match[3]?.trimEnd() ?? '')
          : unquote(match[1], line);
      this.#position += 1;
      entries.push([key, this.#parseValue(match[4] ?? '', line, { indent, depth, inMap: true })]);
    }
    return Object.fromEntries(entries);
  }

  #parseList(indent: number, depth: number): unknown[] {
    const items: unknown[] = [];
    for (let line = this.#peek(); line && line.indent === indent; line = this.#peek()) {
      const match = ITEM.exec(line.text);
      if (!match) break;
      this.#position += 1;
      items.push(this.#parseValue(match[1] ?? '', line, { indent, depth, inMap: false }));
    }
    return items;
  }

  /** Parses the value after a colon or a dash, on the same line or on the lines below. */
  #parseValue(
    text: string,
    frontmatterLine: FrontmatterLine,
    position: { indent: number; depth: number; inMap: boolean },
  ): unknown {
    const { indent, depth, inMap } = position;
    const plain = stripComment(text);
    const block = BLOCK.exec(plain);
    if (block) return this.#parseScalarBlock(indent, block[1] === '>', block[2] ?? '');
    if (plain !== '') return parseScalar(plain, frontmatterLine);
    const next = this.#peek();
    // A list may have the same indentation as the key that it belongs to.
    const minIndent = inMap && next && ITEM.test(next.text) ? indent : indent + 1;
    return this.#parseBlock(minIndent, depth + 1) ?? null;
  }

  #parseScalarBlock(indent: number, folded: boolean, chomp: string): string {
    const blockLines: FrontmatterLine[] = [];
    for (let line = this.#lines[this.#position]; line && (line.text === '' || line.indent > indent); ) {
      blockLines.push(line);
      this.#position += 1;
      line = this.#lines[this.#position];
    }
    const margin = blockLines.reduce(
      (smallest, line) => (line.text === '' ? smallest : Math.min(smallest, line.indent)),
      Number.POSITIVE_INFINITY,
    );
    const texts = blockLines.map((line) => (line.text === '' ? '' : `${' '.repeat(line.indent - margin)}${line.text}`));
    while (chomp !== '+' && texts.at(-1) === '') texts.pop();
    const joined = folded ? texts.join('\n').replace(/(?<=\S)\n(?=\S)/g, ' ') : texts.join('\n');
    return chomp === '-' || joined === '' ? joined : `${joined}\n`;
  }
}

function stripComment(text: string): string {
  if (/^["'[{]/.test(text)) return text.trim();
  return text.replace(/(^|\s)#.*$/s, '').trim();
}

function parseScalar(text: string, frontmatterLine: FrontmatterLine): unknown {
  if (text.startsWith('"')) return unquote(/^"((?:[^"\\]|\\.)*)"\s*(#.*)?$/.exec(text)?.[1], frontmatterLine);
  if (text.startsWith("'"))
    return unquote(toDoubleQuotedBody(/^'((?:[^']|'')*)'\s*(#.*)?$/.exec(text)?.[1]), frontmatterLine);
  if (text.startsWith('[') || text.startsWith('{')) return parseFlow(text, frontmatterLine);
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (/^(null|~)$/i.test(text)) return null;
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Converts the body of a single-quoted string to the body of a double-quoted one. */
function toDoubleQuotedBody(body: string | undefined): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body.replaceAll("''", "'")).slice(1, -1);
}

function unquote(body: string | undefined, frontmatterLine: FrontmatterLine): string {
  try {
    if (body === undefined) throw new SyntaxError();
    return JSON.parse(`"${body}"`) as string;
  } catch {
    throw createLineFault(frontmatterLine, 'has an unterminated quoted string or an invalid escape');
  }
}

/** Parses JSON, or a list of unquoted words: `[read, grep]`. */
function parseFlow(text: string, frontmatterLine: FrontmatterLine): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const words = /^\[([^[\]{}]*)\]\s*(#.*)?$/.exec(text);
    if (!words) throw createLineFault(frontmatterLine, 'is neither JSON nor a list such as [read, grep]');
    const items = (words[1] ?? '').split(',').map((item) => item.trim());
    return items.filter((item) => item !== '').map((item) => parseScalar(item, frontmatterLine));
  }
}

function createLineFault(frontmatterLine: FrontmatterLine, problem: string): Fault {
  return new Fault('config', `line ${frontmatterLine.number} ${problem}: ${frontmatterLine.text}`);
}
