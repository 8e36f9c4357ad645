// Commands for the messages, entries and branches of a session.
import { array, boolean, nullable, number, object, optional, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { command } from '../contracts/index.ts';
import { agentMessage, entryTree, sessionEntry } from '../protocol/index.ts';

export const getMessages = command({
  name: 'get_messages',
  doc: 'All messages of the current conversation.',
  lane: 'now',
  access: 'read',
  params: object({}),
  result: object({ messages: array(agentMessage) }),
  run: async (_, { session }) => ({ messages: [...session.history.messages()] }),
});

export const getLastAssistantText = command({
  name: 'get_last_assistant_text',
  doc: 'The text of the last assistant message, or null when there is none.',
  lane: 'now',
  access: 'read',
  params: object({}),
  result: object({ text: nullable(string()) }),
  run: async (_, { session }) => ({ text: session.history.lastAssistantText() }),
});

export const switchSession = command({
  name: 'switch_session',
  doc: 'Switch to another session, given by its path or a prefix of its id. A run in progress is stopped first and sends its final events. On a server only this client moves, runs continue, and the events after the position `after` are sent first; with 0, a snapshot.',
  lane: 'ordered',
  long: true,
  params: object({ sessionPath: string(), after: optional(number()) }),
  result: object({ cancelled: boolean() }),
  examples: [{ sessionPath: '/home/me/.parley/sessions/--project--/2026-01-02T03-04-05-000Z_0f8b.jsonl' }],
  run: ({ sessionPath }, { session }) => session.history.switchTo(sessionPath),
});

export const openSession = command({
  name: 'open_session',
  stability: 'experimental',
  doc: 'Switch to the newest session in a directory, or start one there when it has none. `resumed` is false for a new session. A run in progress is stopped first and sends its final events.',
  lane: 'ordered',
  long: true,
  params: object({ sessionDir: string() }),
  result: object({
    cancelled: boolean(),
    resumed: boolean(),
    sessionId: string(),
    sessionFile: optional(string()),
  }),
  examples: [{ sessionDir: '/home/me/sessions/parser' }],
  async run({ sessionDir }, { session }) {
    if (sessionDir.trim() === '') throw new Fault('invalid_params', 'sessionDir cannot be empty');
    const opened = await session.history.openDirectory(sessionDir);
    return { ...opened, sessionId: session.id, ...(session.file === undefined ? {} : { sessionFile: session.file }) };
  },
});

export const branch = command({
  name: 'branch',
  doc: 'Start a new session with the conversation before one of the user messages, and return the text of that message.',
  lane: 'ordered',
  long: true,
  params: object({ entryId: string() }),
  result: object({ text: string(), cancelled: boolean() }),
  examples: [{ entryId: 'abc12345' }],
  run: ({ entryId }, { session }) => session.history.branch(entryId),
});

export const clone = command({
  name: 'clone',
  doc: 'Copy the current conversation to a new session and continue there. The old session is not changed.',
  lane: 'ordered',
  long: true,
  params: object({}),
  result: object({ cancelled: boolean() }),
  run: (_, { session }) => session.history.clone(),
});

export const getBranchMessages = command({
  name: 'get_branch_messages',
  doc: 'The user messages of all branches from which `branch` can start.',
  lane: 'ordered',
  access: 'read',
  params: object({}),
  result: object({ messages: array(object({ entryId: string(), text: string() })) }),
  run: async (_, { session }) => ({ messages: await session.history.branchPoints() }),
});

export const getEntries = command({
  name: 'get_entries',
  doc: 'The entries of the session log in the order they were written; those after `since` when it is given.',
  lane: 'ordered',
  access: 'read',
  params: object({ since: optional(string()) }),
  result: object({ entries: array(sessionEntry), leafId: nullable(string()) }),
  run: ({ since }, { session }) => session.history.entries(since),
});

export const getTree = command({
  name: 'get_tree',
  doc: 'The entries of the session log as a tree, and the current leaf.',
  lane: 'ordered',
  access: 'read',
  params: object({}),
  result: object({ tree: array(entryTree), leafId: nullable(string()) }),
  run: (_, { session }) => session.history.tree(),
});

export const exportHtml = command({
  name: 'export_html',
  doc: 'Export the session as one self-contained HTML file. Without a path, a new file is created in the working directory; existing files are not overwritten.',
  lane: 'ordered',
  long: true,
  params: object({ outputPath: optional(string()) }),
  result: object({ path: string() }),
  examples: [{ outputPath: '/tmp/session.html' }],
  run: ({ outputPath }, { session }) => session.history.exportHtml(outputPath),
});
