// First floor, commands: what has been said.
import { array, boolean, nullable, object, optional, string } from 'valibot';
import { command } from '../contracts/index.ts';
import { agentMessage, entryTree, sessionEntry } from '../protocol/index.ts';

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

export const switchSession = command({
  name: 'switch_session',
  doc: 'Go on with another session: a path, or the beginning of its id. A run that is going ends first, with its last events.',
  lane: 'ordered',
  long: true,
  params: object({ sessionPath: string() }),
  result: object({ cancelled: boolean() }),
  examples: [{ sessionPath: '/home/me/.parley/sessions/--project--/2026-01-02T03-04-05-000Z_0f8b.jsonl' }],
  run: ({ sessionPath }, { session }) => session.history.switchTo(sessionPath),
});

export const branch = command({
  name: 'branch',
  doc: 'Start a new session with everything that was said before one of the user’s messages, and return its text.',
  lane: 'ordered',
  long: true,
  params: object({ entryId: string() }),
  result: object({ text: string(), cancelled: boolean() }),
  examples: [{ entryId: 'abc12345' }],
  run: ({ entryId }, { session }) => session.history.branch(entryId),
});

export const clone = command({
  name: 'clone',
  doc: 'Go on in a new session that holds the conversation as it stands; the old one stays as it is.',
  lane: 'ordered',
  long: true,
  params: object({}),
  result: object({ cancelled: boolean() }),
  run: (_, { session }) => session.history.clone(),
});

export const getBranchMessages = command({
  name: 'get_branch_messages',
  doc: 'The user’s messages that a new branch could begin before, on all branches.',
  lane: 'ordered',
  params: object({}),
  result: object({ messages: array(object({ entryId: string(), text: string() })) }),
  run: async (_, { session }) => ({ messages: await session.history.branchPoints() }),
});

export const getEntries = command({
  name: 'get_entries',
  doc: 'The entries of the session log in the order they were written; those after `since` when it is given.',
  lane: 'ordered',
  params: object({ since: optional(string()) }),
  result: object({ entries: array(sessionEntry), leafId: nullable(string()) }),
  run: ({ since }, { session }) => session.history.entries(since),
});

export const getTree = command({
  name: 'get_tree',
  doc: 'The entries of the session log as a tree, and where the conversation stands.',
  lane: 'ordered',
  params: object({}),
  result: object({ tree: array(entryTree), leafId: nullable(string()) }),
  run: (_, { session }) => session.history.tree(),
});

export const exportHtml = command({
  name: 'export_html',
  doc: 'Write the session as one self-contained page. Without a path it goes into the working directory, never over a file.',
  lane: 'ordered',
  long: true,
  params: object({ outputPath: optional(string()) }),
  result: object({ path: string() }),
  examples: [{ outputPath: '/tmp/session.html' }],
  run: ({ outputPath }, { session }) => session.history.exportHtml(outputPath),
});
