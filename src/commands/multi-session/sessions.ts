// Commands that open, list, close, delete and rewind sessions, for dialects with many sessions in one process.
import { array, boolean, literal, number, object, optional, picklist, record, string, variant } from 'valibot';
import { command } from '../../contracts/index.ts';
import { thinkingLevel } from '../../protocol/index.ts';
import { features, requestedFeatures } from './config.ts';
import { nonEmptyString } from './non-empty-string.ts';

const mcpServer = object({
  name: string(),
  source: string(),
  server: variant('type', [
    object({
      type: literal('stdio'),
      command: string(),
      args: array(string()),
      env: record(string(), string()),
      cwd: optional(string()),
    }),
    object({ type: picklist(['http', 'sse']), url: string(), headers: record(string(), string()) }),
  ]),
});

export const startSession = command({
  name: 'start_session',
  doc: 'Open a session in a directory: a new one, the one with this id, or with `forkOf` a copy of another one. The model is looked up by its id; the provider is a hint.',
  lane: 'ordered',
  params: object({
    id: optional(nonEmptyString),
    forkOf: optional(nonEmptyString),
    cwd: optional(string()),
    /** Work in an own copy of this repository, a git URL or a path; `cwd` is then a path in it. Only on servers with the setting `workspace.remote`. */
    repository: optional(nonEmptyString),
    /** The commit of the repository with which the session begins: a full id, a branch or a tag. Default: the one that is checked out, or the default branch. */
    commit: optional(nonEmptyString),
    /** With `id`: fail when there is no such session, instead of creating it. */
    mustExist: optional(boolean()),
    /** Used in addition to the servers of the settings files. */
    mcpServers: optional(array(mcpServer)),
    /** Whether the session is stored on disk. */
    persist: boolean(),
    model: optional(object({ provider: optional(string()), id: string(), thinkingLevel: optional(thinkingLevel) })),
    systemPrompt: optional(string()),
    tools: optional(array(string())),
    features: optional(requestedFeatures),
  }),
  result: object({
    sessionId: string(),
    file: optional(string()),
    contextFiles: array(string()),
    skills: array(string()),
    /** The names of the MCP servers of the host that are used. */
    mcpServers: array(string()),
    /** The features in effect. */
    features,
    /** The session existed before. */
    resumed: boolean(),
  }),
  async run(request, { pool, markSlow }) {
    // Calls cannot address the session before its new id is returned, so no call has to wait for it.
    if (request.id === undefined) markSlow();
    const { session, resumed, contextFiles, skills } = await pool.open(request);
    const current = { ...pool.getFeatures(session) };
    return {
      sessionId: session.id,
      file: session.file,
      contextFiles: [...contextFiles],
      skills: [...skills],
      mcpServers: current.mcp ? (request.mcpServers ?? []).map(({ name }) => name) : [],
      features: current,
      resumed,
    };
  },
});

export const listAllSessions = command({
  name: 'list_all_sessions',
  doc: 'All stored sessions, newest first.',
  lane: 'now',
  access: 'read',
  long: true,
  params: object({}),
  result: object({
    sessions: array(
      object({
        id: string(),
        path: string(),
        cwd: string(),
        name: optional(string()),
        /** The beginning of the first prompt; empty before the first prompt. */
        firstPrompt: string(),
        createdMs: number(),
        modifiedMs: number(),
        messageCount: number(),
      }),
    ),
  }),
  async run(_, { pool }) {
    const sessions = (await pool.list()).map(({ id, path, cwd, name, opening, createdMs, modifiedMs, messages }) => ({
      id,
      path,
      cwd,
      name,
      firstPrompt: opening,
      createdMs,
      modifiedMs,
      messageCount: messages,
    }));
    return { sessions };
  },
});

export const closeSession = command({
  name: 'close_session',
  stability: 'experimental',
  doc: 'Stop the work of an open session and close it. It stays on disk and can be opened again.',
  lane: 'now',
  long: true,
  closesSession: true,
  params: object({ sessionId: string() }),
  run: ({ sessionId }, { pool }) => pool.close(sessionId),
});

export const deleteSession = command({
  name: 'delete_session',
  stability: 'experimental',
  doc: 'Delete a session with its artifacts. An open session is closed first.',
  lane: 'now',
  long: true,
  closesSession: true,
  params: object({ sessionId: string() }),
  run: ({ sessionId }, { pool }) => pool.delete(sessionId),
});

export const moveTo = command({
  name: 'move_to',
  doc: 'Continue from another entry of the same session. If the entry is a user message, continue before it.',
  lane: 'ordered',
  long: true,
  params: object({ entryId: string() }),
  async run({ entryId }, { session }) {
    await session.history.moveTo(entryId);
  },
});

export const ping = command({
  name: 'ping',
  stability: 'experimental',
  doc: 'Replies immediately. Use it to check that the agent responds.',
  lane: 'now',
  access: 'read',
  params: object({}),
  run: async () => {},
});
