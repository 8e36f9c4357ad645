// Highlights code line by line with highlight.js. Loaded on first use: it is larger than the rest of the terminal.
import type { Language } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import scss from 'highlight.js/lib/languages/scss';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { type Line, type Span, span, type TextStyle } from '../text/line.ts';

const LANGUAGES = {
  ...{ bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin, lua, makefile },
  ...{ markdown, php, python, ruby, rust, scss, shell, sql, swift, typescript, xml, yaml },
};
for (const [name, define] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, define);

/** In characters. A longer line is not highlighted: for some texts the patterns take quadratic time. */
const MAX_LINE_LENGTH = 300;
/** In characters. Earlier lines of a comment or string that is longer than this are not considered. */
const MAX_CONTEXT_LENGTH = 1_500;
/** The lines of a block after these are not highlighted. */
const MAX_LINES = 2_000;

/** By the scope names of highlight.js. Other scopes have the style of the enclosing scope. */
const SCOPE_STYLES: Readonly<Record<string, TextStyle>> = {
  comment: { dim: true },
  quote: { dim: true },
  keyword: { colour: 'magenta' },
  'selector-tag': { colour: 'magenta' },
  'variable.language_': { colour: 'magenta' },
  string: { colour: 'green' },
  regexp: { colour: 'green' },
  char: { colour: 'green' },
  addition: { colour: 'green' },
  deletion: { colour: 'red' },
  number: { colour: 'yellow' },
  literal: { colour: 'yellow' },
  symbol: { colour: 'yellow' },
  bullet: { colour: 'yellow' },
  meta: { colour: 'yellow' },
  title: { colour: 'blue' },
  section: { colour: 'blue', bold: true },
  name: { colour: 'blue' },
  type: { colour: 'cyan' },
  'title.class_': { colour: 'cyan' },
  built_in: { colour: 'cyan' },
  attr: { colour: 'cyan' },
  attribute: { colour: 'cyan' },
  property: { colour: 'cyan' },
  'selector-class': { colour: 'cyan' },
  'selector-id': { colour: 'cyan' },
  'template-variable': { colour: 'cyan' },
  variable: { colour: 'cyan' },
  subst: {},
  strong: { bold: true },
  emphasis: { italic: true },
  link: { underline: true },
};

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };
const HTML_TOKEN = /<span class="(?:hljs-)?([^"]*)">|(<\/span>)|(\n)|([^<\n]+)/g;

export interface LineHighlighter {
  /** Highlights the next line. */
  push(text: string): Line;
  /** Highlights the line as it is so far. Does not change the state. */
  peek(text: string): Line;
}

/** `language`: a name, an alias or a file extension of highlight.js. `undefined` when the language is unknown. */
export function createLineHighlighter(language: string): LineHighlighter | undefined {
  const definition = hljs.getLanguage(language);
  return definition && new HljsLineHighlighter(language, definition);
}

class HljsLineHighlighter implements LineHighlighter {
  readonly #language: string;
  readonly #definition: Language;
  /** The lines since the last line that ended outside of comments, strings and other multi-line constructs. */
  #context = '';
  #lineCount = 0;

  constructor(language: string, definition: Language) {
    this.#language = language;
    this.#definition = definition;
  }

  push(text: string): Line {
    const { line, context } = this.#highlight(text);
    this.#context = context;
    this.#lineCount += 1;
    return line;
  }

  peek(text: string): Line {
    return this.#highlight(text).line;
  }

  #highlight(text: string): { line: Line; context: string } {
    if (text.length > MAX_LINE_LENGTH || this.#lineCount >= MAX_LINES) return { line: [span(text)], context: '' };
    const source = `${this.#context}${text}\n`;
    const { value, _top: top } = hljs.highlight(source, { language: this.#language, ignoreIllegals: true });
    const isComplete = top === this.#definition || source.length > MAX_CONTEXT_LENGTH;
    return { line: parseHtmlLines(value).at(-2) ?? [], context: isComplete ? '' : source };
  }
}

/** highlight.js escapes all text, and its only tags are spans. A scope may continue over several lines. */
function parseHtmlLines(html: string): Line[] {
  const lines: Span[][] = [[]];
  const styles: TextStyle[] = [{}];
  for (const [, scope, closing, newline, text] of html.matchAll(HTML_TOKEN)) {
    if (scope !== undefined) styles.push(getStyle(scope) ?? styles.at(-1) ?? {});
    else if (closing) styles.pop();
    else if (newline) lines.push([]);
    else if (text !== undefined) lines.at(-1)?.push(span(decodeEntities(text), styles.at(-1)));
  }
  return lines;
}

/** `title class_` is the scope `title.class_`; without a style of its own it has that of `title`. */
function getStyle(scope: string): TextStyle | undefined {
  const [first = ''] = scope.split(' ', 1);
  return SCOPE_STYLES[scope.replaceAll(' ', '.')] ?? SCOPE_STYLES[first];
}

function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => ENTITIES[name] ?? '');
}
