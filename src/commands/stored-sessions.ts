// Commands for stored sessions: listing, searching, finding and moving them.
import { array, boolean, integer, maxValue, minValue, number, object, optional, pipe, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { command, type FoundSession } from '../contracts/index.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const LIMIT_RULE = `must be a whole number from 1 to ${MAX_LIMIT}`;

const storedSession = object({
  id: string(),
  path: string(),
  cwd: string(),
  name: optional(string()),
  firstPrompt: string(),
  createdMs: number(),
  modifiedMs: number(),
  messageCount: number(),
  cost: number(),
  bytes: number(),
  parentSession: optional(string()),
  /** The last run has not ended, or is in progress. */
  interrupted: boolean(),
  match: optional(string()),
});

export const listSessions = command({
  name: 'list_sessions',
  stability: 'experimental',
  doc: `Stored sessions, newest first; those of the working directory \`cwd\` if it is given. \`query\` must occur in the name, the path, or a message of the user or the model (then \`match\` shows the place), or begin the id; upper and lower case do not matter. \`nextCursor\` is present if older sessions follow: pass it as \`cursor\` for the next page. A search that takes long returns early, with fewer sessions and a cursor. At most ${MAX_LIMIT} sessions; without \`limit\` ${DEFAULT_LIMIT}. \`cost\` is in US dollars, \`bytes\` includes artifacts.`,
  lane: 'now',
  long: true,
  access: 'read',
  params: object({
    query: optional(string()),
    cwd: optional(string()),
    limit: optional(pipe(number(), integer(LIMIT_RULE), minValue(1, LIMIT_RULE), maxValue(MAX_LIMIT, LIMIT_RULE))),
    cursor: optional(string()),
  }),
  result: object({ sessions: array(storedSession), nextCursor: optional(string()) }),
  examples: [{ limit: 20 }, { query: 'parser' }],
  async run({ limit = DEFAULT_LIMIT, ...query }, { loadPorts }) {
    const { sessions, nextCursor } = await (await loadPorts()).sessions.search({ ...query, limit });
    return { sessions: sessions.map(toStoredSession), ...(nextCursor === undefined ? {} : { nextCursor }) };
  },
});

export const findSession = command({
  name: 'find_session',
  stability: 'experimental',
  doc: 'One stored session, by its path or the beginning of its id. Only sessions that list_sessions shows are found.',
  lane: 'now',
  long: true,
  access: 'read',
  params: object({ session: string() }),
  result: object({ session: storedSession }),
  examples: [{ session: '0f8b' }],
  run: async ({ session }, { loadPorts }) => ({
    session: toStoredSession(await (await loadPorts()).sessions.locate(session)),
  }),
});

export const moveSession = command({
  name: 'move_session',
  stability: 'experimental',
  doc: 'Move a session to another working directory: its log, artifacts and subagent logs. `sessionId` is its id, the beginning of it, or its path; without it the open session is moved. An open session continues in the new directory, with the settings, the trust and the tools of that directory (`reopened`); where the process has only one session it is refused, and another session must be opened first. Refused with the code `busy` during a run, and when another process uses the session. Paths in earlier messages are not changed.',
  lane: 'ordered',
  long: true,
  params: object({ sessionId: optional(string()), cwd: string() }),
  result: object({ sessionId: string(), path: string(), cwd: string(), reopened: boolean() }),
  examples: [{ sessionId: '0f8b', cwd: '/home/me/other-project' }],
  async run({ sessionId, cwd }, { loadPorts }) {
    if (cwd.trim() === '') throw new Fault('invalid_params', 'cwd cannot be empty');
    return (await loadPorts()).sessions.move(sessionId, cwd);
  },
});

function toStoredSession({ opening, messages, ...session }: FoundSession) {
  return { ...session, firstPrompt: opening, messageCount: messages };
}
