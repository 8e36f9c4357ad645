// Finds completions for the word before the cursor: slash commands, their arguments and @file mentions.
import type { Draft } from './draft.ts';
import { scoreMatch } from './fuzzy-match.ts';

export interface Suggestion {
  /** The text that replaces the word. */
  readonly value: string;
  /** What the menu shows. Default: the value. */
  readonly label?: string | undefined;
  readonly doc?: string | undefined;
  /** A command without arguments: Enter runs it at once. */
  readonly isRunnable?: boolean | undefined;
}

export interface CompletionSources {
  /** Names without the slash. */
  listCommands(): Promise<readonly Suggestion[]>;
  listArguments(command: string): Promise<readonly string[]>;
  /** Names of the entries of a project folder. Folder names end with a slash. */
  listDirectory(folder: string): Promise<readonly string[]>;
  /** The best matches, several times while the files of the project are being listed. Folders end with a slash. */
  searchFiles(query: string, signal: AbortSignal): AsyncIterable<readonly string[]>;
}

/** The word that can be completed. */
export interface CompletionTarget {
  readonly kind: 'command' | 'argument' | 'file';
  /** Offset of the first character that a suggestion replaces. */
  readonly from: number;
  readonly query: string;
  /** The command, if its argument is completed. */
  readonly command?: string;
}

const COMMAND_PREFIX = /^\/([^\s/]*)$/;
const COMMAND_ARGUMENT = /^\/(\S+)\s+(\S*)$/;
/** As in the mentions that the agent reads: not inside a word, so that an email address is not a mention. */
const MENTION = /(?:^|[\s([{<,;])@(?:"([^"\n]*)|([^\s"'`<>|]*))$/;
const WORD_END = /^(?:$|[\s)\]}>,;.:!?])/;
/** Characters that end a mention without quotes. */
const NEEDS_QUOTES = /[\s'`<>|]/;
/** Paths outside the project are not in its list of files. */
const OUTSIDE_PROJECT = /^(?:\/|~|\.\.?\/)/;

export function findCompletionTarget({ text, cursor }: Draft): CompletionTarget | undefined {
  const before = text.slice(0, cursor);
  if (!WORD_END.test(text.slice(cursor, cursor + 1))) return undefined;
  const [, name] = COMMAND_PREFIX.exec(before) ?? [];
  if (name !== undefined) return { kind: 'command', from: 1, query: name };
  const mention = MENTION.exec(before);
  if (mention) {
    const [, quoted, path = ''] = mention;
    const query = quoted ?? path;
    return { kind: 'file', from: cursor - query.length - (quoted === undefined ? 0 : 1), query };
  }
  const [, command = '', argument] = COMMAND_ARGUMENT.exec(before) ?? [];
  return argument === undefined
    ? undefined
    : { kind: 'argument', from: cursor - argument.length, query: argument, command };
}

/** Yields the suggestions, best first; several times for files. */
export async function* findSuggestions(
  { kind, query, command = '' }: CompletionTarget,
  sources: CompletionSources,
  signal: AbortSignal,
): AsyncGenerator<readonly Suggestion[]> {
  if (kind === 'command') yield rankCommands(await sources.listCommands(), query);
  else if (kind === 'argument') {
    const words = await sources.listArguments(command);
    yield words.filter((word) => word.toLowerCase().includes(query.toLowerCase())).map((value) => ({ value }));
  } else yield* findFiles(query, sources, signal);
}

/** Commands that begin with the query in their order, then the other matches by score. */
function rankCommands(commands: readonly Suggestion[], query: string): Suggestion[] {
  const wanted = query.toLowerCase();
  const ranked = commands.flatMap((command) => {
    const name = command.value.toLowerCase();
    const score = scoreMatch(wanted, name);
    if (score === undefined) return [];
    return { command, score: name === wanted ? 2_000 : name.startsWith(wanted) ? 1_000 : score };
  });
  return ranked
    .sort((one, other) => other.score - one.score)
    .map(({ command }) => ({ ...command, value: `${command.value} ` }));
}

async function* findFiles(
  query: string,
  sources: CompletionSources,
  signal: AbortSignal,
): AsyncGenerator<readonly Suggestion[]> {
  let found = 0;
  if (!OUTSIDE_PROJECT.test(query)) {
    for await (const paths of sources.searchFiles(query, signal)) {
      found = paths.length;
      if (found > 0) yield paths.map(toMention);
    }
  }
  // Files that the list omits, such as ignored ones, are found in their folder.
  if (found === 0 && !signal.aborted) yield (await listFolder(query, sources)).map(toMention);
}

async function listFolder(path: string, { listDirectory }: CompletionSources): Promise<string[]> {
  const slash = path.lastIndexOf('/') + 1;
  const prefix = path.slice(slash);
  const names = await listDirectory(path.slice(0, slash)).catch(() => []);
  // Hidden files are suggested only after a dot was typed.
  const matches = names.filter((name) => name.startsWith(prefix) && (prefix !== '' || !name.startsWith('.')));
  return matches.map((name) => path.slice(0, slash) + name);
}

/** A path with spaces is quoted. The quotation of a folder is left open, so that the user can continue. */
function toMention(path: string): Suggestion {
  const isFolder = path.endsWith('/');
  if (!NEEDS_QUOTES.test(path)) return { value: isFolder ? path : `${path} ` };
  return { value: isFolder ? `"${path}` : `"${path}" `, label: path };
}

export function findCommonPrefix(suggestions: readonly Suggestion[]): string {
  const [first = '', ...others] = suggestions.map(({ value }) => value);
  let length = first.length;
  for (const word of others) {
    while (!word.startsWith(first.slice(0, length))) length--;
  }
  return first.slice(0, length);
}

/** A space at the end of the word is dropped if one follows. */
export function replaceWord({ text, cursor, cutText }: Draft, from: number, word: string): Draft {
  const rest = text.slice(cursor);
  const kept = word.endsWith(' ') && rest.startsWith(' ') ? rest.slice(1) : rest;
  return { text: text.slice(0, from) + word + kept, cursor: from + word.length, cutText };
}
