// First floor, llm: the small words around a request: politeness, places, lists of paths. Knows no intent.
import { type Quote, quotedText, unmask } from './quoting.ts';

const OPENERS =
  /^(?:please|kindly|pls|now|also|and|then|next|finally|first|lastly|plus|ok(?:ay)?|so|(?:hey|hi|hello)(?! there| all| everyone| parley| again)|well(?! done)|just|(?:can|could|would|will) you(?: please)?|i(?:'d| would) like you to|i (?:want|need) you to|let'?s|go ahead and|after that|in addition|additionally)[,:]?\s+/i;
const CLOSERS = /(?:,?\s+(?:please|pls|for me|thanks|thank you|now|as well|too|also|again|next|instead))$/i;
// Not after white space or another full stop: `list .` and `list ..` name directories.
const FINAL_MARKS = /(?<=[^\s.?!])[.?!]+$/;

/** The request without its politeness. */
export function bare(clause: string): string {
  let text = clause.trim().replace(FINAL_MARKS, '');
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(OPENERS, '').replace(CLOSERS, '').replace(FINAL_MARKS, '').trim();
  }
  return text;
}

const ADDS = /^(?:(?:please|ok(?:ay)?)[,:]?\s+)?(?:also|and|plus|then|next|after that|in addition|additionally)\b/i;
const ADDS_AT_END = /\b(?:as well|too|also)[.!]*$/i;

/** Does this sentence add to the one before it, rather than replace it? */
export function isAddition(sentence: string): boolean {
  const text = sentence.trim();
  return ADDS.test(text) || ADDS_AT_END.test(text);
}

const HERE =
  /^(?:here|(?:this|the|my|our) (?:(?:current|working|whole|entire) )?(?:directory|folder|dir|project|repo|repository|workspace|codebase|code|tree)|(?:all|any|every)(?: of)?(?: the| my)? files?|everything|everywhere)$/i;
const AROUND_PLACE =
  /^(?:(?:the|my|our)\s+)?(?:(?:directory|folder|dir|subdirectory|subfolder)\s+)?(.+?)(?:\s+(?:directory|folder|dir|subdirectory|subfolder))?$/i;
const AROUND_FILE =
  /^(?:(?:the|my|our)\s+)?(?:(?:contents? of|files?|file called|file named)\s+)?(?:the\s+)?(.+?)(?:\s+files?)?$/i;

/** A place to look in: `.` for the many words that mean "here", `undefined` when the words name no place. */
export function placeOf(words: string, quotes: readonly Quote[]): string | undefined {
  const text = words.trim();
  if (HERE.test(text)) return '.';
  return oneWord(AROUND_PLACE.exec(text)?.[1], quotes);
}

export function fileOf(words: string, quotes: readonly Quote[]): string | undefined {
  return oneWord(AROUND_FILE.exec(words.trim())?.[1], quotes);
}

function oneWord(words: string | undefined, quotes: readonly Quote[]): string | undefined {
  if (words === undefined) return undefined;
  const quoted = quotedText(words, quotes);
  if (quoted !== undefined) return quoted.trim() || undefined;
  const word = unmask(words.replace(/[,:;?!]+$/, ''), quotes);
  // A dash begins an option, which only a shell understands.
  if (word === '' || word.startsWith('-') || /\s/.test(word)) return undefined;
  // Hosts let people point at files with an @ before the name.
  return word.replace(/^@/, '');
}

/** "a, b and c" as three; `undefined` when one of them is none. */
export function each(
  words: string,
  read: (part: string) => string | undefined,
): readonly [string, ...string[]] | undefined {
  const parts = words.split(/\s*,\s*(?:and\s+)?|\s+and\s+/i).map(read);
  return parts.every((part) => part !== undefined) ? (parts as unknown as [string, ...string[]]) : undefined;
}

/** Could these words be the name of a file, without anybody saying so? */
export function looksLikeFile(path: string): boolean {
  return /[./\\~*]/.test(path) || /^[A-Z][\w-]+$/.test(path);
}

const KINDS: Readonly<Record<string, string>> = {
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

/** The pattern for "TypeScript files" and its like. */
export function globOfKind(kind: string): string | undefined {
  const known = kind.toLowerCase();
  return Object.hasOwn(KINDS, known) ? KINDS[known] : undefined;
}
