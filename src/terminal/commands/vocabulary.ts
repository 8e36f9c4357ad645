// The hall, terminal: which words with a slash there are: our own, and those that the agent has from extensions, templates and
// skills. Knows none of them by name.
import { Fault, nearest } from '../../base/index.ts';
import type { Suggestion } from '../input/completion.ts';
import type { Room, SlashCommand } from './command.ts';
import { OWN_COMMANDS } from './index.ts';

/** A name, and what follows it. Paths are no names. */
const SPELLING = /^\/([\w:.-]+)(?:\s+(.*))?$/s;

export interface SlashWord {
  readonly name: string;
  readonly args: string;
  /** Absent when it is not ours. */
  readonly own: SlashCommand | undefined;
}

export function slashWord(text: string): SlashWord | undefined {
  const [, name, args = ''] = SPELLING.exec(text) ?? [];
  return name === undefined ? undefined : { name, args: args.trim(), own: ownCommand(name) };
}

export async function vocabulary({ client }: Pick<Room, 'client'>): Promise<Suggestion[]> {
  const { commands } = await client.call('get_commands');
  return [
    ...OWN_COMMANDS.map(({ name, doc }) => ({ word: name, doc })),
    ...commands.map(({ name, description }) => ({ word: name, doc: description })),
  ];
}

/** What may follow a word, as far as it is ours. */
export async function wordsAfter(name: string, room: Room): Promise<readonly string[]> {
  return (await ownCommand(name)?.words?.(room)) ?? [];
}

/** A word with a slash that nobody knows is a slip, not something to tell a model. */
export async function mustKnow(name: string, room: Pick<Room, 'client'>): Promise<void> {
  const known = (await vocabulary(room)).map(({ word }) => word);
  if (known.includes(name)) return;
  const meant = nearest(name, known);
  const slip = meant ? ` (did you mean /${meant}?)` : '';
  throw new Fault('not_found', `There is no /${name}${slip}; /help lists what there is.`);
}

function ownCommand(name: string): SlashCommand | undefined {
  return OWN_COMMANDS.find((command) => command.name === name);
}
