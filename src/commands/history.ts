// First floor, commands: what has been said.
import { array, nullable, object, string } from 'valibot';
import { command } from '../contracts/index.ts';
import { agentMessage } from '../protocol/index.ts';

export const getMessages = command({
  name: 'get_messages',
  doc: 'All messages of the conversation as it stands.',
  lane: 'now',
  params: object({}),
  result: object({ messages: array(agentMessage) }),
  run: async (_, { session }) => ({ messages: [...session.history.messages()] }),
});

export const getLastAssistantText = command({
  name: 'get_last_assistant_text',
  doc: 'The text of the newest answer, or null when there is none.',
  lane: 'now',
  params: object({}),
  result: object({ text: nullable(string()) }),
  run: async (_, { session }) => ({ text: session.history.lastAssistantText() }),
});
