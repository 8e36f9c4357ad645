// Generates texts on which regular expressions are slow, and measures how their time grows.
import ts from 'typescript';
import { getLine, listNodes, parseSource } from './imports.ts';

export interface RegexLiteral {
  /** `src/base/json.ts:3`. */
  readonly where: string;
  readonly file: string;
  /** The literal, with its flags. */
  readonly written: string;
  readonly source: string;
  readonly flags: string;
}

/** All regular expression literals of a TypeScript file. */
export function findRegexes(file: string, text: string): RegexLiteral[] {
  return listNodes(parseSource(file, text)).flatMap((node) => {
    if (!ts.isRegularExpressionLiteral(node)) return [];
    const end = node.text.lastIndexOf('/');
    const where = `${file}:${getLine(node)}`;
    return [{ where, file, written: node.text, source: node.text.slice(1, end), flags: node.text.slice(end + 1) }];
  });
}

const REPEATED = [
  ' ',
  '\t',
  '\n',
  ' \n',
  'a',
  '0',
  '/',
  '.',
  '-',
  '*',
  '"',
  "'",
  '\\',
  '`',
  '(',
  '[',
  '{',
  '<',
  '!',
  '=',
  '😀',
];
const ENDINGS = ['\u0000', '\r\u2028\u0000', ''];

/** Texts with a beginning, a part that is repeated up to `length`, and an end at which the match fails. */
export function* generateSlowTexts({ source }: Pick<RegexLiteral, 'source'>, length: number): Generator<string> {
  const fragments = listFragments(source);
  const beginnings = ['', 'a', ...fragments];
  for (const repeated of [...REPEATED, ...fragments, ...fragments.map((one) => `${one} `)]) {
    const body = repeated.repeat(Math.ceil(length / repeated.length));
    for (const beginning of beginnings) for (const ending of ENDINGS) yield beginning + body + ending;
    const [last = ''] = fragments.slice(-1);
    yield `${beginnings.join('')}${body}\u0000${last}`;
  }
  // Two runs of blanks: two parts of the expression can match the first run in many ways.
  for (const between of fragments)
    yield `${between}${' '.repeat(length / 2)}${between}${' '.repeat(length / 2)}\r\u0000`;
}

const MAX_FRAGMENTS = 10;

/** The literal characters of the expression, in order; of a character class its first member. */
function listFragments(source: string): string[] {
  const plain = source
    .replace(/\(\?<?[=!]|\(\?<\w+>|\(\?:|\\[bBkp](?:\{[^}]*\}|<\w+>)?/g, '|')
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[dD]/g, '1')
    .replace(/\\w/g, 'w')
    .replace(/\\s/g, ' ')
    .replace(/\\S/g, 's')
    .replace(/\\n/g, '\n')
    .replace(/\\r/g, '\r')
    .replace(/\\t/g, '\t')
    .replace(/\{\d*,?\d*\}/g, '')
    .replace(/\[\^?(\\?.)(?:[^\]\\]|\\.)*\]/gs, '$1')
    .replace(/\\(.)/gs, '$1');
  const found = plain.split(/[$^()|*+?.]+/).filter((one) => one !== '');
  return [...new Set([...found, found.join('')])].filter((one) => one !== '').slice(0, MAX_FRAGMENTS);
}

const SMALL = 500;
const MIDDLE = 2000;
const LARGE = 16_000;
/** Matches that take longer are measured again. A linear search through the large text takes far less. */
const SUSPICIOUS_MS = 15;
/** For a text that is four times as long, linear time is four times as long, quadratic time sixteen times. */
const MAX_GROWTH = 10;

/** A shortened text on which the time grows faster than the length; `undefined` if none was found. */
export function findSlowText(regexLiteral: RegexLiteral): string | undefined {
  for (const length of [SMALL, MIDDLE, LARGE]) {
    for (const text of generateSlowTexts(regexLiteral, length)) {
      if (measureTime(() => matchRegex(regexLiteral, text), 1) < SUSPICIOUS_MS) continue;
      if (measureTime(() => matchRegex(regexLiteral, text)) < SUSPICIOUS_MS) continue;
      if (length < LARGE || growsFast(regexLiteral, text)) return text.slice(0, 60);
    }
  }
  return undefined;
}

function growsFast(regexLiteral: RegexLiteral, text: string): boolean {
  const quarter = text.slice(0, 20) + text.slice(text.length - Math.floor(text.length / 4));
  return (
    measureTime(() => matchRegex(regexLiteral, text)) >
    MAX_GROWTH * measureTime(() => matchRegex(regexLiteral, quarter))
  );
}

/** The minimum of several times in milliseconds, because other programs can only make it longer. Stops at a time below `enough`. */
export function measureTime(run: () => unknown, times = 3, enough = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times && least >= enough; i += 1) {
    const start = performance.now();
    run();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

export function matchRegex({ source, flags }: Pick<RegexLiteral, 'source' | 'flags'>, text: string): void {
  const expression = new RegExp(source, flags);
  if (expression.global) for (const _ of text.matchAll(expression));
  else expression.test(text);
}
