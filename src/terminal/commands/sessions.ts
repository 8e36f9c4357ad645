// The hall, terminal: the words about conversations: a new one, an old one, another way from here, a page of it.
import { Fault } from '../../base/index.ts';
import type { Room, SlashCommand } from './command.ts';

export const fresh: SlashCommand = {
  name: 'new',
  doc: 'Begin a new conversation; this one stays on disk',
  async run(_, room) {
    const { cancelled } = await room.client.call('new_session', {});
    if (!cancelled) await room.turnTo('A new conversation');
  },
};

export const resume: SlashCommand = {
  name: 'resume',
  takes: '[ID]',
  doc: 'Go on with an earlier conversation of this directory',
  async run(args, room) {
    const path = args || (await chosenSession(room));
    if (path === undefined) return;
    const { cancelled } = await room.client.call('switch_session', { sessionPath: path });
    if (!cancelled) await room.turnTo('An earlier conversation');
  },
};

async function chosenSession(room: Room): Promise<string | undefined> {
  const sessions = (await room.sessions()).filter(({ id }) => id !== room.state.sessionId);
  if (sessions.length === 0) throw new Fault('not_found', 'There is no earlier conversation of this directory.');
  const choices = sessions.map(({ path, label, doc }) => ({ value: path, label, doc }));
  return room.choose('Which conversation?', choices);
}

export const branch: SlashCommand = {
  name: 'branch',
  doc: 'Begin again before one of your messages, in a conversation of its own',
  async run(_, room) {
    const { messages } = await room.client.call('get_branch_messages');
    if (messages.length === 0) throw new Fault('not_found', 'Nothing was said yet: there is nothing to go back to.');
    const choices = messages.map(({ entryId, text }) => ({ value: entryId, label: text.split('\n', 1)[0] ?? '' }));
    const entryId = await room.choose('Begin again before which message?', choices, choices.length - 1);
    if (entryId === undefined) return;
    const { text, cancelled } = await room.client.call('branch', { entryId });
    if (cancelled) return;
    await room.turnTo('Another way from here');
    room.write(text);
  },
};

export const name: SlashCommand = {
  name: 'name',
  takes: 'NAME',
  doc: 'Give this conversation a name',
  async run(args, room) {
    await room.client.call('set_session_name', { name: args });
    await room.refresh();
    room.say(`This conversation is called ${args.trim()}.`);
  },
};

export const session: SlashCommand = {
  name: 'session',
  doc: 'Where this conversation is kept, and what it has used',
  async run(_, room) {
    const { client, state } = room;
    const { tokens, cost, totalMessages, toolCalls } = await client.call('get_session_stats');
    const kept = state.sessionFile ?? 'nowhere: nothing is written to disk';
    room.say(
      [
        `Conversation ${state.sessionId}${state.sessionName ? ` (${state.sessionName})` : ''}`,
        `Kept in ${kept}`,
        `${totalMessages} messages, ${toolCalls} tool calls, ${tokens.total} tokens, $${cost.toFixed(4)}`,
        `The project is ${state.trusted ? '' : 'not '}trusted.`,
      ].join('\n'),
    );
  },
};

export const compact: SlashCommand = {
  name: 'compact',
  takes: '[WORDS]',
  doc: 'Put a summary in the place of the older part; the words say what to keep',
  async run(args, room) {
    await room.client.call('compact', args === '' ? {} : { customInstructions: args });
    await room.refresh();
  },
};

export const exportPage: SlashCommand = {
  name: 'export',
  takes: '[FILE]',
  doc: 'Write this conversation as a page for a browser',
  async run(args, room) {
    const { path } = await room.client.call('export_html', args === '' ? {} : { outputPath: args });
    room.say(`Written to ${path}`);
  },
};
