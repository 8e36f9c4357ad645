// Finds the slash commands that fit what the user has written. Pure.
import type { SlashCommandEntry } from '../../../src/protocol/index.ts';

const MAX_SHOWN = 8;

/** The name after the slash, if the prompt begins with one and the cursor is in it. */
export function findCommandPrefix(text: string, cursor: number): string | undefined {
  const [, name] = /^\/(\S*)/.exec(text) ?? [];
  return name !== undefined && cursor <= name.length + 1 ? name.slice(0, Math.max(0, cursor - 1)) : undefined;
}

/** Names that begin with the prefix come before names that contain it. */
export function completeCommand(prefix: string, commands: readonly SlashCommandEntry[]): readonly SlashCommandEntry[] {
  const wanted = prefix.toLowerCase();
  const rank = ({ name }: SlashCommandEntry) => {
    const at = name.toLowerCase().indexOf(wanted);
    return at < 0 ? 2 : Math.min(at, 1);
  };
  return commands
    .filter((command) => rank(command) < 2)
    .sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
    .slice(0, MAX_SHOWN);
}
