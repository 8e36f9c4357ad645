// Parses slash commands and lists them: built-in commands, and those of extensions, templates and skills.
import { Fault, findClosestMatch } from '../../base/index.ts';
import type { Suggestion } from '../input/find-completion.ts';
import { BUILTIN_COMMANDS } from './index.ts';
import type { CommandContext, SlashCommand } from './slash-command.ts';

/** A command name contains no slash, so that absolute paths do not match. */
const COMMAND_PATTERN = /^\/([\w:.-]+)(?:\s+(.*))?$/s;

export interface ParsedCommand {
  readonly name: string;
  readonly args: string;
  /** Undefined for commands of extensions, templates and skills. */
  readonly builtin: SlashCommand | undefined;
}

export function parseSlashCommand(text: string): ParsedCommand | undefined {
  const [, name, args = ''] = COMMAND_PATTERN.exec(text) ?? [];
  return name === undefined ? undefined : { name, args: args.trim(), builtin: findBuiltinCommand(name) };
}

export async function listCommands({ client }: Pick<CommandContext, 'client'>): Promise<Suggestion[]> {
  const { commands } = await client.call('get_commands');
  return [
    ...BUILTIN_COMMANDS.map(({ name, doc }) => ({ value: name, doc })),
    ...commands.map(({ name, description }) => ({ value: name, doc: description })),
  ];
}

/** Only built-in commands have argument completions. */
export async function completeArguments(name: string, context: CommandContext): Promise<readonly string[]> {
  return (await findBuiltinCommand(name)?.getArgumentCompletions?.(context)) ?? [];
}

/** Throws for an unknown command, which is most likely a typing error, instead of sending it to the model. */
export async function requireKnownCommand(name: string, context: Pick<CommandContext, 'client'>): Promise<void> {
  const known = (await listCommands(context)).map(({ value }) => value);
  if (known.includes(name)) return;
  const suggestion = findClosestMatch(name, known);
  const hint = suggestion ? ` (did you mean /${suggestion}?)` : '';
  throw new Fault('not_found', `Unknown command: /${name}${hint}. Run /help to list all commands.`);
}

function findBuiltinCommand(name: string): SlashCommand | undefined {
  return BUILTIN_COMMANDS.find((command) => command.name === name);
}
