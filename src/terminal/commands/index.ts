// Table of contents: the words with a slash that the terminal knows itself. Extensions, templates and skills bring theirs.
import type { SlashCommand } from './command.ts';
import { model, thinking } from './models.ts';
import { afterwards, clear, edit, KEYS, quit, reload } from './program.ts';
import { branch, compact, exportPage, fresh, name, resume, session } from './sessions.ts';

const help: SlashCommand = {
  name: 'help',
  doc: 'This list',
  async run(_, room) {
    const own = OWN_COMMANDS.map((command) => [spelled(command), command.doc] as const);
    const { commands } = await room.client.call('get_commands');
    const others = commands.map((command) => [`/${command.name}`, command.description ?? command.source] as const);
    const rows = [...own, ...others].map(([word, doc]) => `${word.padEnd(16)} ${doc}`);
    room.say([...rows, '', KEYS].join('\n'));
  },
};

export const OWN_COMMANDS: readonly SlashCommand[] = [
  help,
  model,
  thinking,
  fresh,
  resume,
  branch,
  name,
  session,
  compact,
  exportPage,
  afterwards,
  edit,
  reload,
  clear,
  quit,
];

function spelled({ name, takes }: SlashCommand): string {
  return `/${name}${takes ? ` ${takes}` : ''}`;
}
