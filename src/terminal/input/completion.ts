// The hall, terminal: what the word before the cursor could become. Knows where words come from only by their sources.
import type { Draft } from './editor.ts';

export interface Suggestion {
  readonly word: string;
  readonly doc?: string | undefined;
}

export interface Sources {
  /** Without their slash. */
  commands(): Promise<readonly Suggestion[]>;
  /** What may follow a command. */
  words(command: string): Promise<readonly string[]>;
  /** The names in a folder of the project; folders end with a slash. */
  names(folder: string): Promise<readonly string[]>;
}

export interface Completion {
  /** Where the word begins that is completed. */
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
}

const COMMAND = /^\/(\S*)$/;
const ARGUMENT = /^\/(\S+)\s+(\S*)$/;
const MENTION = /(?:^|\s)@(\S*)$/;

export async function completionFor({ text, at }: Draft, sources: Sources): Promise<Completion> {
  const before = text.slice(0, at);
  const [, command] = COMMAND.exec(before) ?? [];
  if (command !== undefined) {
    const known = await sources.commands();
    return { from: 1, suggestions: known.filter(({ word }) => word.startsWith(command)).map(withBlank) };
  }
  const [, path] = MENTION.exec(before) ?? [];
  if (path !== undefined) return mention(path, at, sources);
  const [, name = '', argument] = ARGUMENT.exec(before) ?? [];
  if (argument === undefined) return { from: at, suggestions: [] };
  const words = await sources.words(name);
  const fitting = words.filter((word) => word.toLowerCase().includes(argument.toLowerCase()));
  return { from: at - argument.length, suggestions: fitting.map((word) => ({ word })) };
}

function withBlank({ word, doc }: Suggestion): Suggestion {
  return { word: `${word} `, doc };
}

async function mention(path: string, at: number, sources: Sources): Promise<Completion> {
  const slash = path.lastIndexOf('/') + 1;
  const folder = path.slice(0, slash);
  const begun = path.slice(slash);
  const names = await sources.names(folder);
  // What begins with a dot is meant only when a dot was typed.
  const fitting = names.filter((name) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')));
  const words = fitting.map((name) => ({ word: `${folder}${name}${name.endsWith('/') ? '' : ' '}` }));
  return { from: at - path.length, suggestions: words };
}

/** How far all of them agree. */
export function commonStart(suggestions: readonly Suggestion[]): string {
  const [first = '', ...others] = suggestions.map(({ word }) => word);
  let length = first.length;
  for (const word of others) {
    while (!word.startsWith(first.slice(0, length))) length--;
  }
  return first.slice(0, length);
}

export function replaced({ text, at, cut }: Draft, from: number, word: string): Draft {
  return { text: text.slice(0, from) + word + text.slice(at), at: from + word.length, cut };
}
