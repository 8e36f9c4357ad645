// The built-in slash commands of the terminal.

import { clear, contextUsage, continueRun, cost, edit, followUp, quit, reload } from './general.ts';
import { formatHelp } from './help.ts';
import { login, logout, model, thinking } from './models.ts';
import { branch, compact, exportHtml, newSession, resume, session, setName } from './sessions.ts';
import type { SlashCommand } from './slash-command.ts';

const help: SlashCommand = {
  name: 'help',
  argumentHint: '[COMMAND]',
  doc: 'List commands and keys',
  getArgumentCompletions: async () => [...BUILTIN_COMMANDS.map(({ name }) => name), 'keys', 'all'],
  async run(args, context) {
    const { commands } = await context.client.call('get_commands');
    context.notify(formatHelp(args, BUILTIN_COMMANDS, commands));
  },
};

export const BUILTIN_COMMANDS: readonly SlashCommand[] = [
  help,
  model,
  thinking,
  newSession,
  resume,
  branch,
  setName,
  session,
  cost,
  contextUsage,
  compact,
  exportHtml,
  followUp,
  continueRun,
  edit,
  login,
  logout,
  reload,
  clear,
  quit,
];
