// Parses parts of requests: politeness, directories, file paths and lists.
import { getQuotedText, type Quote, unmaskQuotes } from './quoting.ts';

const LEADING_PHRASES =
  /^(?:please|kindly|pls|now|also|and|then|next|finally|first|lastly|plus|ok(?:ay)?|so|(?:hey|hi|hello)(?! there| all| everyone| parley| again)|well(?! done)|just|(?:can|could|would|will) you(?: please)?|i(?:'d| would) like you to|i (?:want|need) you to|let'?s|go ahead and|after that|in addition|additionally)[,:]?\s+/i;
const TRAILING_PHRASES = /(?:,?\s+(?:please|pls|for me|thanks|thank you|now|as well|too|also|again|next|instead))$/i;
// Not after white space or another full stop: `list .` and `list ..` name directories.
const FINAL_MARKS = /(?<=[^\s.?!])[.?!]+$/;

/** Removes politeness and filler words. */
export function stripPoliteness(clause: string): string {
  let text = clause.trim().replace(FINAL_MARKS, '');
  for (let previous = ''; previous !== text; ) {
    previous = text;
    text = text.replace(LEADING_PHRASES, '').replace(TRAILING_PHRASES, '').replace(FINAL_MARKS, '').trim();
  }
  return text;
}

const LEADING_ADDITION =
  /^(?:(?:please|ok(?:ay)?)[,:]?\s+)?(?:also|and|plus|then|next|after that|in addition|additionally)\b/i;
const TRAILING_ADDITION = /\b(?:as well|too|also)[.!]*$/i;

/** Whether the sentence adds to the previous request instead of replacing it. */
export function isAdditionalRequest(sentence: string): boolean {
  const text = sentence.trim();
  return LEADING_ADDITION.test(text) || TRAILING_ADDITION.test(text);
}

const CURRENT_DIRECTORY =
  /^(?:here|(?:this|the|my|our) (?:(?:current|working|whole|entire) )?(?:directory|folder|dir|project|repo|repository|workspace|codebase|code|tree)|(?:all|any|every)(?: of)?(?: the| my)? files?|everything|everywhere)$/i;
const DIRECTORY_PHRASE =
  /^(?:(?:the|my|our)\s+)?(?:(?:directory|folder|dir|subdirectory|subfolder)\s+)?(.+?)(?:\s+(?:directory|folder|dir|subdirectory|subfolder))?$/i;
const FILE_PHRASE =
  /^(?:(?:the|my|our)\s+)?(?:(?:contents? of|files?|file called|file named)\s+)?(?:the\s+)?(.+?)(?:\s+files?)?$/i;

/** `.` for phrases that mean the current directory; `undefined` when the phrase names no directory. */
export function parseDirectory(phrase: string, quotes: readonly Quote[]): string | undefined {
  const text = phrase.trim();
  if (CURRENT_DIRECTORY.test(text)) return '.';
  return parseWord(DIRECTORY_PHRASE.exec(text)?.[1], quotes);
}

export function parseFilePath(phrase: string, quotes: readonly Quote[]): string | undefined {
  return parseWord(FILE_PHRASE.exec(phrase.trim())?.[1], quotes);
}

function parseWord(phrase: string | undefined, quotes: readonly Quote[]): string | undefined {
  if (phrase === undefined) return undefined;
  const quoted = getQuotedText(phrase, quotes);
  if (quoted !== undefined) return quoted.trim() || undefined;
  const word = unmaskQuotes(phrase.replace(/[,:;?!]+$/, ''), quotes);
  // A leading dash is a shell option.
  if (word === '' || word.startsWith('-') || /\s/.test(word)) return undefined;
  // Hosts let users mark file names with a leading @.
  return word.replace(/^@/, '');
}

/** Splits "a, b and c" into three items; `undefined` when one of them is invalid. */
export function parseList(
  phrase: string,
  parse: (part: string) => string | undefined,
): readonly [string, ...string[]] | undefined {
  const parts = phrase.split(/\s*,\s*(?:and\s+)?|\s+and\s+/i).map(parse);
  return parts.every((part) => part !== undefined) ? (parts as unknown as [string, ...string[]]) : undefined;
}

/** Whether the word looks like a file name, even without the word "file". */
export function isLikelyFile(path: string): boolean {
  return /[./\\~*]/.test(path) || /^[A-Z][\w-]+$/.test(path);
}

const GLOB_BY_KIND: Readonly<Record<string, string>> = {
  typescript: '*.ts',
  javascript: '*.js',
  python: '*.py',
  rust: '*.rs',
  go: '*.go',
  java: '*.java',
  ruby: '*.rb',
  markdown: '*.md',
  json: '*.json',
  yaml: '*.y*ml',
  html: '*.html',
  css: '*.css',
  shell: '*.sh',
  text: '*.txt',
  test: '*.test.*',
};

/** The glob for phrases like "TypeScript files". */
export function getGlobForKind(kind: string): string | undefined {
  const key = kind.toLowerCase();
  return Object.hasOwn(GLOB_BY_KIND, key) ? GLOB_BY_KIND[key] : undefined;
}
