// The built-in slash commands of the terminal.

import { clear, contextUsage, cost, edit, followUp, KEY_HELP, quit, reload } from './general.ts';
import { login, logout, model, thinking } from './models.ts';
import { branch, compact, exportHtml, newSession, resume, session, setName } from './sessions.ts';
import type { SlashCommand } from './slash-command.ts';

const help: SlashCommand = {
  name: 'help',
  doc: 'List commands and keys',
  async run(_, context) {
    const builtin = BUILTIN_COMMANDS.map((command) => [formatUsage(command), command.doc] as const);
    const { commands } = await context.client.call('get_commands');
    const others = commands.map((command) => [`/${command.name}`, command.description ?? command.source] as const);
    const rows = [...builtin, ...others].map(([usage, doc]) => `${usage.padEnd(16)} ${doc}`);
    context.notify([...rows, '', KEY_HELP].join('\n'));
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
  edit,
  login,
  logout,
  reload,
  clear,
  quit,
];

function formatUsage({ name, argumentHint }: SlashCommand): string {
  return `/${name}${argumentHint ? ` ${argumentHint}` : ''}`;
}
