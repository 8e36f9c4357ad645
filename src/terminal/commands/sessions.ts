// Commands about sessions: /new, /resume, /branch, /name, /session, /compact and /export.
import { Fault } from '../../base/index.ts';
import type { CommandContext, SlashCommand } from './slash-command.ts';

export const newSession: SlashCommand = {
  name: 'new',
  doc: 'Start a new session; this one stays on disk',
  async run(_, context) {
    const { cancelled } = await context.client.call('new_session', {});
    if (!cancelled) await context.showSession('New session');
  },
};

export const resume: SlashCommand = {
  name: 'resume',
  argumentHint: '[ID]',
  doc: 'Resume an earlier session',
  async run(args, context) {
    const path = args || (await chooseSession(context));
    if (path === undefined) return;
    const { client } = context;
    // A server sends a snapshot first, which contains the answer that is being received. Other agents ignore the position.
    const { cancelled } = await client.call('switch_session', { sessionPath: path, after: 0 });
    if (cancelled) return;
    if (client.attachment?.replay === 'snapshot') await context.refreshStatus();
    else await context.showSession('Resumed session');
  },
};

async function chooseSession(context: CommandContext): Promise<string | undefined> {
  const listed = await context.listSessions();
  if (!listed) throw new Fault('not_found', 'This agent does not list its sessions. Name one: /resume ID');
  const sessions = listed.filter(({ id }) => id !== context.state.sessionId);
  if (sessions.length === 0) throw new Fault('not_found', 'There is no other session.');
  const choices = sessions.map(({ path, label, doc }) => ({ value: path, label, doc }));
  return context.choose('Select a session', choices);
}

export const branch: SlashCommand = {
  name: 'branch',
  doc: 'Start a new session that branches off before one of your messages',
  async run(_, context) {
    const { messages } = await context.client.call('get_branch_messages');
    if (messages.length === 0) throw new Fault('not_found', 'There are no messages to branch from.');
    const choices = messages.map(({ entryId, text }) => ({ value: entryId, label: text.split('\n', 1)[0] ?? '' }));
    const entryId = await context.choose('Branch before which message?', choices, choices.length - 1);
    if (entryId === undefined) return;
    const { text, cancelled } = await context.client.call('branch', { entryId });
    if (cancelled) return;
    await context.showSession('New branch');
    context.setDraft(text);
  },
};

export const setName: SlashCommand = {
  name: 'name',
  argumentHint: 'NAME',
  doc: 'Set the name of this session',
  async run(args, context) {
    await context.client.call('set_session_name', { name: args });
    await context.refreshStatus();
    context.notify(`Session name set to ${args.trim()}.`);
  },
};

export const session: SlashCommand = {
  name: 'session',
  doc: 'Show the file and the usage of this session',
  async run(_, context) {
    const { client, state } = context;
    const { tokens, cost, totalMessages, toolCalls } = await client.call('get_session_stats');
    const location = state.sessionFile ?? 'none (this session is not saved)';
    context.notify(
      [
        `Session ${state.sessionId}${state.sessionName ? ` (${state.sessionName})` : ''}`,
        `File: ${location}`,
        `${totalMessages} messages, ${toolCalls} tool calls, ${tokens.total} tokens, $${cost.toFixed(4)}`,
        `The project is ${state.trusted ? '' : 'not '}trusted.`,
      ].join('\n'),
    );
  },
};

export const compact: SlashCommand = {
  name: 'compact',
  argumentHint: '[FOCUS]',
  doc: 'Replace older messages by a summary; FOCUS says what it must retain',
  async run(args, context) {
    await context.client.call('compact', args === '' ? {} : { customInstructions: args });
    await context.refreshStatus();
  },
};

export const exportHtml: SlashCommand = {
  name: 'export',
  argumentHint: '[FILE]',
  doc: 'Export this session as an HTML page',
  async run(args, context) {
    const { path } = await context.client.call('export_html', args === '' ? {} : { outputPath: args });
    context.notify(`Written to ${path}`);
  },
};
