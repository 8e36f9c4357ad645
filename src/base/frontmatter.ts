// Ground floor: Markdown with fields at its head. Reads the part of YAML that people write there; knows no field by name.
import { Fault } from './fault.ts';
import { isRecord } from './json.ts';

export interface Document {
  /** Empty when the text has no head. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Line {
  readonly indent: number;
  readonly text: string;
  /** As it stands in the file, 1-based. */
  readonly number: number;
}

const HEAD = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/;

/** Throws a Fault that names the line. */
export function parseFrontmatter(text: string): Document {
  const match = HEAD.exec(text);
  if (!match) return { fields: {}, body: text };
  const lines = (match[1] ?? '').split(/\r?\n/).map((line, index) => lineOf(line, index + 2));
  const fields = new Reader(lines).document();
  return { fields, body: text.slice(match[0].length).replace(/^(?:[ \t]*\r?\n)+/, '') };
}

function lineOf(raw: string, number: number): Line {
  const text = raw.trimStart();
  return { indent: raw.length - text.length, text: text.trimEnd(), number };
}

function isEmpty({ text }: Line): boolean {
  return text === '' || text.startsWith('#');
}

const KEY =
  /^(?:"((?:[^"\\]|\\.)*)"[ \t]*|'((?:[^']|'')*)'[ \t]*|([^\s:#\-"'[\]{}][^:#]*|-[^\s:][^:#]*)):(?:[ \t]+(.*))?$/s;
const ITEM = /^-(?:[ \t]+(.*))?$/s;
const BLOCK = /^([|>])([+-]?)$/;
/** Deeper than anybody writes by hand; what is deeper is an attack on the stack. */
const DEEPEST = 20;

class Reader {
  readonly #lines: readonly Line[];
  #at = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  document(): Record<string, unknown> {
    const value = this.#block(0, 0);
    const left = this.#peek();
    if (left) throw wrong(left, 'does not belong to the lines above it');
    if (value === undefined) return {};
    if (!isRecord(value)) throw new Fault('config', 'the fields between the --- lines must be `name: value` pairs');
    return value;
  }

  /** The next line that says something. */
  #peek(): Line | undefined {
    while (this.#at < this.#lines.length && isEmpty(this.#lines[this.#at] as Line)) this.#at += 1;
    return this.#lines[this.#at];
  }

  #block(least: number, depth: number): unknown {
    const first = this.#peek();
    if (!first || first.indent < least) return undefined;
    if (depth > DEEPEST) throw wrong(first, 'is nested too deeply');
    return ITEM.test(first.text) ? this.#list(first.indent, depth) : this.#map(first.indent, depth);
  }

  #map(indent: number, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (let line = this.#peek(); line && line.indent === indent && !ITEM.test(line.text); line = this.#peek()) {
      const match = KEY.exec(line.text);
      if (!match) throw wrong(line, 'is not `name: value`');
      const key =
        match[1] === undefined
          ? (match[2]?.replaceAll("''", "'") ?? match[3]?.trimEnd() ?? '')
          : unquote(match[1], line);
      this.#at += 1;
      entries.push([key, this.#value(match[4] ?? '', line, { indent, depth, inMap: true })]);
    }
    return Object.fromEntries(entries);
  }

  #list(indent: number, depth: number): unknown[] {
    const items: unknown[] = [];
    for (let line = this.#peek(); line && line.indent === indent; line = this.#peek()) {
      const match = ITEM.exec(line.text);
      if (!match) break;
      this.#at += 1;
      items.push(this.#value(match[1] ?? '', line, { indent, depth, inMap: false }));
    }
    return items;
  }

  /** What stands behind a colon or a dash, or in the lines below it. */
  #value(text: string, line: Line, place: { indent: number; depth: number; inMap: boolean }): unknown {
    const { indent, depth, inMap } = place;
    const plain = withoutComment(text);
    const block = BLOCK.exec(plain);
    if (block) return this.#scalarBlock(indent, block[1] === '>', block[2] ?? '');
    if (plain !== '') return scalar(plain, line);
    const next = this.#peek();
    // A list may stand as far left as the name it belongs to.
    const least = inMap && next && ITEM.test(next.text) ? indent : indent + 1;
    return this.#block(least, depth + 1) ?? null;
  }

  #scalarBlock(indent: number, folded: boolean, chomp: string): string {
    const taken: Line[] = [];
    for (let line = this.#lines[this.#at]; line && (line.text === '' || line.indent > indent); ) {
      taken.push(line);
      this.#at += 1;
      line = this.#lines[this.#at];
    }
    const margin = taken.reduce(
      (least, line) => (line.text === '' ? least : Math.min(least, line.indent)),
      Number.POSITIVE_INFINITY,
    );
    const texts = taken.map((line) => (line.text === '' ? '' : `${' '.repeat(line.indent - margin)}${line.text}`));
    while (chomp !== '+' && texts.at(-1) === '') texts.pop();
    const joined = folded ? texts.join('\n').replace(/(?<=\S)\n(?=\S)/g, ' ') : texts.join('\n');
    return chomp === '-' || joined === '' ? joined : `${joined}\n`;
  }
}

function withoutComment(text: string): string {
  if (/^["'[{]/.test(text)) return text.trim();
  return text.replace(/(^|\s)#.*$/s, '').trim();
}

function scalar(text: string, line: Line): unknown {
  if (text.startsWith('"')) return unquote(/^"((?:[^"\\]|\\.)*)"\s*(#.*)?$/.exec(text)?.[1], line);
  if (text.startsWith("'")) return unquote(quoted(/^'((?:[^']|'')*)'\s*(#.*)?$/.exec(text)?.[1]), line);
  if (text.startsWith('[') || text.startsWith('{')) return flow(text, line);
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (/^(null|~)$/i.test(text)) return null;
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** A text in single quotes as it would stand in double ones. */
function quoted(body: string | undefined): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body.replaceAll("''", "'")).slice(1, -1);
}

function unquote(body: string | undefined, line: Line): string {
  try {
    if (body === undefined) throw new SyntaxError();
    return JSON.parse(`"${body}"`) as string;
  } catch {
    throw wrong(line, 'has a quoted text that does not end, or an escape that means nothing');
  }
}

/** JSON, or a list of plain words: `[read, grep]`. */
function flow(text: string, line: Line): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const words = /^\[([^[\]{}]*)\]\s*(#.*)?$/.exec(text);
    if (!words) throw wrong(line, 'is neither JSON nor a list of words in brackets');
    const items = (words[1] ?? '').split(',').map((item) => item.trim());
    return items.filter((item) => item !== '').map((item) => scalar(item, line));
  }
}

function wrong(line: Line, what: string): Fault {
  return new Fault('config', `line ${line.number} ${what}: ${line.text}`);
}
