// Finds completions for the word before the cursor: slash commands, their arguments and @file mentions.
import type { Draft } from './draft.ts';

export interface Suggestion {
  readonly value: string;
  readonly doc?: string | undefined;
}

export interface CompletionSources {
  /** Names without the slash. */
  listCommands(): Promise<readonly Suggestion[]>;
  listArguments(command: string): Promise<readonly string[]>;
  /** Names of the entries of a project folder. Folder names end with a slash. */
  listDirectory(folder: string): Promise<readonly string[]>;
}

export interface Completion {
  /** Offset of the completed word in the draft. */
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
}

const COMMAND_PREFIX = /^\/(\S*)$/;
const COMMAND_ARGUMENT = /^\/(\S+)\s+(\S*)$/;
const MENTION = /(?:^|\s)@(\S*)$/;

export async function findCompletion(
  { text, cursor }: Draft,
  completionSources: CompletionSources,
): Promise<Completion> {
  const before = text.slice(0, cursor);
  const [, command] = COMMAND_PREFIX.exec(before) ?? [];
  if (command !== undefined) {
    const commands = await completionSources.listCommands();
    return { from: 1, suggestions: commands.filter(({ value }) => value.startsWith(command)).map(appendSpace) };
  }
  const [, path] = MENTION.exec(before) ?? [];
  if (path !== undefined) return completeMention(path, cursor, completionSources);
  const [, name = '', argument] = COMMAND_ARGUMENT.exec(before) ?? [];
  if (argument === undefined) return { from: cursor, suggestions: [] };
  const words = await completionSources.listArguments(name);
  const matches = words.filter((word) => word.toLowerCase().includes(argument.toLowerCase()));
  return { from: cursor - argument.length, suggestions: matches.map((value) => ({ value })) };
}

function appendSpace({ value, doc }: Suggestion): Suggestion {
  return { value: `${value} `, doc };
}

async function completeMention(
  path: string,
  cursor: number,
  completionSources: CompletionSources,
): Promise<Completion> {
  const slash = path.lastIndexOf('/') + 1;
  const folder = path.slice(0, slash);
  const prefix = path.slice(slash);
  const names = await completionSources.listDirectory(folder);
  // Hidden files are suggested only after a dot was typed.
  const matches = names.filter((name) => name.startsWith(prefix) && (prefix !== '' || !name.startsWith('.')));
  const suggestions = matches.map((name) => ({ value: `${folder}${name}${name.endsWith('/') ? '' : ' '}` }));
  return { from: cursor - path.length, suggestions };
}

export function findCommonPrefix(suggestions: readonly Suggestion[]): string {
  const [first = '', ...others] = suggestions.map(({ value }) => value);
  let length = first.length;
  for (const word of others) {
    while (!word.startsWith(first.slice(0, length))) length--;
  }
  return first.slice(0, length);
}

export function replaceWord({ text, cursor, cutText }: Draft, from: number, word: string): Draft {
  return { text: text.slice(0, from) + word + text.slice(cursor), cursor: from + word.length, cutText };
}
