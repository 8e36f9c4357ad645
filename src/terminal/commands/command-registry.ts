// Runs, lists and completes slash commands: built-in commands, and those of extensions, templates and skills.
import { Fault, findClosestMatch } from '../../base/index.ts';
import type { CompletionSources, Suggestion } from '../input/find-completion.ts';
import { BUILTIN_COMMANDS } from './index.ts';
import type { CommandContext, SlashCommand } from './slash-command.ts';

/** A command name contains no slash, so that absolute paths do not match. */
const COMMAND_PATTERN = /^\/([\w:.-]+)(?:\s+(.*))?$/s;

/**
 * Runs the text if it is a built-in command. Returns false for a message and for a command of an extension, template or skill: those
 * are sent to the agent. Throws for an unknown command, which is most likely a typing error, instead of sending it to the model.
 */
export async function runBuiltinCommand(text: string, context: CommandContext): Promise<boolean> {
  const [, name, args = ''] = COMMAND_PATTERN.exec(text) ?? [];
  if (name === undefined) return false;
  const command = findBuiltinCommand(name);
  if (!command) {
    await requireKnownCommand(name, context);
    return false;
  }
  await command.run(args.trim(), context);
  return true;
}

/** Only built-in commands have argument completions. */
export function createCompletionSources(
  context: CommandContext,
  fileSources: Pick<CompletionSources, 'listDirectory' | 'searchFiles'>,
): CompletionSources {
  return {
    ...fileSources,
    listCommands: () => listCommands(context),
    listArguments: async (name) => (await findBuiltinCommand(name)?.getArgumentCompletions?.(context)) ?? [],
  };
}

async function listCommands({ client }: CommandContext): Promise<Suggestion[]> {
  const { commands } = await client.call('get_commands');
  return [
    ...BUILTIN_COMMANDS.map(({ name, doc, argumentHint }) => ({
      value: name,
      doc,
      isRunnable: !argumentHint || argumentHint.startsWith('['),
    })),
    ...commands.map(({ name, description, source }) => ({ value: name, doc: description ?? source })),
  ];
}

async function requireKnownCommand(name: string, context: CommandContext): Promise<void> {
  const known = (await listCommands(context)).map(({ value }) => value);
  if (known.includes(name)) return;
  const suggestion = findClosestMatch(name, known);
  const hint = suggestion ? ` (did you mean /${suggestion}?)` : '';
  throw new Fault('not_found', `Unknown command: /${name}${hint}. Run /help to list all commands.`);
}

function findBuiltinCommand(name: string): SlashCommand | undefined {
  return BUILTIN_COMMANDS.find((command) => command.name === name);
}
