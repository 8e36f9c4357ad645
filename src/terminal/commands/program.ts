// The hall, terminal: the words about the program itself.
import { Fault } from '../../base/index.ts';
import type { SlashCommand } from './command.ts';

export const clear: SlashCommand = {
  name: 'clear',
  doc: 'Empty the terminal; the conversation goes on',
  run: async (_, room) => room.clear(),
};

export const reload: SlashCommand = {
  name: 'reload',
  doc: 'Load extensions, skills and templates again',
  async run(_, room) {
    await room.prompt('/reload');
    room.say('Extensions, skills and templates are loaded again.');
  },
};

export const afterwards: SlashCommand = {
  name: 'then',
  takes: 'WORDS',
  doc: 'Say this when the work that goes on is done, instead of at once',
  async run(args, room) {
    if (args === '') throw new Fault('invalid_params', '/then needs the words that are to be said afterwards.');
    await room.later(args);
  },
};

export const edit: SlashCommand = {
  name: 'edit',
  takes: '[WORDS]',
  doc: 'Write in your own editor, $VISUAL or $EDITOR (so does Ctrl+G)',
  run: (args, room) => room.edit(args),
};

export const quit: SlashCommand = {
  name: 'quit',
  doc: 'Leave (so does Ctrl+D, or Ctrl+C twice)',
  run: async (_, room) => room.leave(),
};

export const KEYS = `Enter            say it; while the agent works: steer it
Alt+Enter        begin a new line (Shift+Enter where the terminal can tell; or end the line with a backslash)
Tab              complete a /command, an argument or an @file
Up, Down         earlier words; Ctrl+R looks for some of them
Ctrl+G           write in your own editor, $VISUAL or $EDITOR
Alt+Up           take back what waits
Esc, Ctrl+C      stop the agent; Ctrl+C twice leaves
Ctrl+O           show the last output whole
Shift+Tab        think harder or less hard
Ctrl+Z           to the shell; fg comes back
!command         run a command yourself; the model sees it (!!command: it does not)`;
