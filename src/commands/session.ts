// Commands for new sessions, session state, statistics and name, and the list of slash commands.
import { array, boolean, object, optional, picklist, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { command } from '../contracts/index.ts';
import { groupByPhase, sessionState, sessionStats } from '../protocol/index.ts';

export const newSession = command({
  name: 'new_session',
  doc: 'Start a new session. A run in progress is stopped first and sends its final events.',
  lane: 'ordered',
  long: true,
  params: object({ parentSession: optional(string()) }),
  result: object({ cancelled: boolean() }),
  run: (params, { session }) => session.history.startNew(params),
});

export const getState = command({
  name: 'get_state',
  doc: 'The current state of the session.',
  lane: 'now',
  access: 'read',
  params: object({}),
  result: sessionState,
  run: async (_, { session }) => ({ ...session.state(), todoPhases: groupByPhase(await session.todos.list()) }),
});

export const getCommands = command({
  name: 'get_commands',
  doc: 'The available slash commands: extension commands, prompt templates and skills.',
  lane: 'now',
  access: 'read',
  long: true,
  params: object({}),
  result: object({
    commands: array(
      object({
        name: string(),
        description: optional(string()),
        source: picklist(['extension', 'prompt', 'skill']),
        location: optional(picklist(['user', 'project', 'path'])),
        path: optional(string()),
        baseDir: optional(string()),
      }),
    ),
  }),
  run: async (_, { session }) => ({ commands: [...(await session.listSlashCommands())] }),
});

export const getSessionStats = command({
  name: 'get_session_stats',
  doc: 'Message counts, token usage and cost of the conversation.',
  lane: 'now',
  access: 'read',
  params: object({}),
  result: sessionStats,
  async run(_, { session }) {
    const contextUsage = session.context.usage();
    return { ...session.history.stats(), ...(contextUsage ? { contextUsage } : {}) };
  },
});

export const setSessionName = command({
  name: 'set_session_name',
  doc: 'Set the display name of the current session.',
  lane: 'ordered',
  params: object({ name: string() }),
  examples: [{ name: 'Fix the parser' }],
  async run({ name }, { session }) {
    if (!name.trim()) throw new Fault('invalid_params', 'Session name cannot be empty');
    await session.naming.rename(name.trim());
  },
});
