// First floor, commands: the subagents of a session, for hosts that watch them.
import { array, boolean, integer, minValue, number, object, optional, picklist, pipe, string, union } from 'valibot';
import { command } from '../contracts/index.ts';
import { agentMessage, sessionEntry, sessionHeader, subagentSnapshot } from '../protocol/index.ts';

const level = picklist(['off', 'progress', 'events']);

export const setSubagentSubscription = command({
  name: 'set_subagent_subscription',
  stability: 'experimental',
  doc: 'How much to be told of what subagents do: nothing more than their starts and ends (`off`, as it is at first), what they are doing (`progress`), or every event of their sessions as well (`events`).',
  lane: 'ordered',
  params: object({ level }),
  result: object({ level }),
  examples: [{ level: 'progress' }],
  async run({ level: wanted }, { host }) {
    await host.watchSubagents(wanted);
    return { level: wanted };
  },
});

export const getSubagents = command({
  name: 'get_subagents',
  stability: 'experimental',
  doc: 'The subagents that are at work, those of subagents included.',
  lane: 'now',
  params: object({}),
  result: object({ subagents: array(subagentSnapshot) }),
  run: async (_, { session }) => ({ subagents: [...session.subagents.list()] }),
});

export const getSubagentMessages = command({
  name: 'get_subagent_messages',
  stability: 'experimental',
  doc: 'What a subagent of this session has said and done so far, from a byte of its log on; also when it is over. Ask again from `nextByte` for what follows.',
  lane: 'now',
  long: true,
  params: object({
    subagentId: optional(string()),
    sessionFile: optional(string()),
    fromByte: optional(pipe(number(), integer('must be a whole number'), minValue(0, 'must be 0 or more'))),
  }),
  result: object({
    sessionFile: string(),
    fromByte: number(),
    nextByte: number(),
    reset: boolean(),
    entries: array(union([sessionHeader, sessionEntry])),
    messages: array(agentMessage),
  }),
  examples: [{ subagentId: 'ReadTheDocs', fromByte: 0 }],
  run: (request, { session }) => session.subagents.transcript(request),
});
