// The command `/todo`: asks for a to-do item and stores it in the session.
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';

export default function slashCommand(pi: ExtensionAPI) {
  pi.registerFlag('todo-kind', { type: 'string', default: 'task', description: 'Kind of a new item' });
  pi.registerCommand('todo', {
    description: 'Add a to-do item',
    async handler(args, ctx) {
      const what = args || (await ctx.ui.input('What is there to do?', 'e.g. write tests'));
      if (!what) return ctx.ui.notify('Nothing noted', 'info');
      const when = await ctx.ui.select('When?', ['today', 'tomorrow']);
      pi.appendEntry('todo', { kind: pi.getFlag('todo-kind'), what, when: when ?? 'some day' });
      ctx.ui.notify(`Noted ${pi.getFlag('todo-kind')}: ${what} (${when ?? 'some day'})`);
    },
  });
}
