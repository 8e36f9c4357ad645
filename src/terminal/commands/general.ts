// Commands of the program itself: /clear, /reload, /continue, /then, /edit, /cost, /context and /quit.
import { Fault } from '../../base/index.ts';
import type { SlashCommand } from './slash-command.ts';

export const clear: SlashCommand = {
  name: 'clear',
  doc: 'Clear the screen; the session continues',
  run: async (_, context) => context.clearScreen(),
};

export const reload: SlashCommand = {
  name: 'reload',
  doc: 'Reload extensions, skills and templates',
  async run(_, context) {
    await context.prompt('/reload');
    context.notify('Reloaded extensions, skills and templates.');
  },
};

export const followUp: SlashCommand = {
  name: 'then',
  argumentHint: 'MESSAGE',
  doc: 'Send this message when the current run has ended (follow-up)',
  async run(args, context) {
    if (args === '') throw new Fault('invalid_params', '/then needs a message, for example: /then run the tests');
    await context.followUp(args);
  },
};

export const continueRun: SlashCommand = {
  name: 'continue',
  doc: 'Continue a run that the end of the program interrupted',
  run: async (_, { client }) => void (await client.call('continue_run')),
};

export const edit: SlashCommand = {
  name: 'edit',
  argumentHint: '[TEXT]',
  doc: 'Edit the message in $VISUAL or $EDITOR (also: Ctrl+G)',
  run: (args, context) => context.openEditor(args),
};

export const cost: SlashCommand = {
  name: 'cost',
  doc: 'Show the tokens and the cost of this session',
  async run(_, context) {
    const { describeCost } = await import('./usage.ts');
    context.notify(await describeCost(context.client));
  },
};

export const contextUsage: SlashCommand = {
  name: 'context',
  doc: 'Show what fills the context window',
  async run(_, context) {
    const { describeContext } = await import('./usage.ts');
    context.notify(await describeContext(context.client));
  },
};

export const quit: SlashCommand = {
  name: 'quit',
  doc: 'Quit (also: Ctrl+D, or Ctrl+C twice)',
  run: async (_, context) => context.quit(),
};

export const KEY_HELP = `Enter            send the message (while the agent is running: steer it)
Alt+Enter        insert a line break (also: Shift+Enter if the terminal supports it, or a backslash at the end of the line)
/, @             open a menu of commands, of files; Tab or Enter accepts
Up, Down         input history of this project; Ctrl+R searches it
Ctrl+G           edit the message in $VISUAL or $EDITOR
Alt+Up           move queued messages back to the input
Esc, Ctrl+C      stop the agent, queued messages return to the input; Ctrl+C twice quits
Ctrl+O           show the full text of the last output
Shift+Tab        switch to the next thinking level
Ctrl+Z           suspend; resume with fg
!command         run a shell command; its output is added to the context (!!command: it is not)`;
