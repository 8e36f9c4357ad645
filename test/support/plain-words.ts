// Finds metaphors and unclear words in names, comments, texts and documents, and says which plain word to use.
import { posix } from 'node:path';

/** A word that is refused, with the words to use for it. Matched as a whole word, in any case; in identifiers per camel-case part. */
export const BANNED_WORDS: Readonly<Record<string, string>> = {
  house: 'module, project or package',
  floor: 'layer',
  floors: 'layers',
  room: 'context, module or available space',
  rooms: 'modules',
  door: 'entry point, endpoint or authentication',
  doors: 'entry points',
  hall: 'layer',
  seat: 'session state',
  desk: 'session pool',
  shelf: 'index or set',
  shelves: 'index',
  road: 'path or way',
  guest: 'client',
  purse: 'budget account',
  family: 'parent link, or group',
  farewell: 'exit info, shutdown or last output',
  deeds: 'task queue',
  ears: 'input router or handlers',
  tongue: 'dialect',
  tongues: 'dialects',
  moments: 'event handlers or states',
  whoever: 'the caller, the user or the host',
  nobody: 'no one; say which component does not',
  somebody: 'the user, the host or a process',
  anybody: 'any user, host or process',
  told: 'notified, sent, or reported',
  said: 'text, message, input or output',
  breath: 'synchronously, without awaiting',
  mend: 'fix or repair',
  mended: 'fixed or repaired',
  mends: 'fixes or repairs',
  surroundings: 'context, options or scope',
  happening: 'event',
  happenings: 'events',
  roster: 'registry',
  workshop: 'scratch directory',
  patience: 'timeout',
  patiently: 'with a timeout',
  entrance: 'input pipeline',
  visitor: 'pending input',
  riddle: 'unclear text',
  stranger: 'unknown process, user or client',
  strangers: 'unknown processes, users or clients',
  ledger: 'task file',
  anew: 'again',
  deaf: 'ignoring an abort',
};

/** Phrases that are refused in prose. */
export const BANNED_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bbrings? (\S+ ){0,3}along\b/i, 'contains, or comes with'],
  [/\bof one's own\b/i, 'own, or custom'],
  [/\bhas no word\b/i, 'does not define'],
  [/\bcomes? to rest\b/i, 'settles'],
  [/\bstand-in\b/i, 'substitute'],
];

/** Files that are not checked: history, this list, and texts that other programs wrote. */
export const ALLOWED_FILES: readonly string[] = ['CHANGELOG.md', 'test/support/plain-words.ts', 'test/naming.test.ts'];

/** Spellings that other programs, formats and the language itself define. */
const FOREIGN_NAMES = [
  /\bMath\.floor\b/g,
  /\bbench\/floor\b/g,
  /\b(font-family|fontFamily|familySync|family: [46]|af_family)\b/g,
];

export interface Finding {
  readonly line: number;
  readonly word: string;
  readonly use: string;
}

/** Words that a protocol, a published text or a test of the word itself needs. */
const ALLOWED_WORDS: readonly { readonly path: string; readonly word: string; readonly why: string }[] = [
  { path: 'src/dialects/opal/event-encoder.ts', word: 'room', why: 'a status text that hosts of the opal dialect see' },
];

/** Camel-case parts of identifiers count as words: `seatOf` holds `seat`. */
export function findBannedWords(text: string): Finding[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const plain = FOREIGN_NAMES.reduce((rest, name) => rest.replace(name, ''), line);
    const words = plain.replace(/([a-z\d])([A-Z])/g, '$1 $2').match(/[A-Za-z]+(?:'s)?/g) ?? [];
    const single = words.flatMap((word) => {
      const key = word.toLowerCase().replace(/'s$/, '');
      const use = Object.hasOwn(BANNED_WORDS, key) ? BANNED_WORDS[key] : undefined;
      return use === undefined ? [] : [{ line: at + 1, word: key, use }];
    });
    const phrases = BANNED_PHRASES.flatMap(([phrase, use]) => {
      const [word] = phrase.exec(plain) ?? [];
      return word === undefined ? [] : [{ line: at + 1, word, use }];
    });
    return [...single, ...phrases];
  });
}

/** In a transcript only the comments are prose; the frames are data. */
function checkedText(path: string, text: string): string {
  if (!path.startsWith('scenarios/')) return text;
  return text.replace(/^[^#\n].*$/gm, '');
}

/** Checks the name of the file and its text: identifiers, comments and strings. */
export function checkFile(path: string, text: string): string[] {
  const inName = findBannedWords(posix.basename(path).replaceAll(/[-_.]/g, ' ')).map(
    ({ word, use }) => `${path}: the file name has "${word}"; use: ${use}`,
  );
  const allowed = ALLOWED_WORDS.filter((one) => path === one.path).map(({ word }) => word);
  const found = findBannedWords(checkedText(path, text)).filter(({ word }) => !allowed.includes(word));
  const inText = found.map(({ line, word, use }) => `${path}:${line}: "${word}"; use: ${use}`);
  return [...inName, ...inText];
}
