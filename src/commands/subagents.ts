// Commands that list and observe the subagents of a session.
import { array, boolean, integer, minValue, number, object, optional, picklist, pipe, string, union } from 'valibot';
import { command } from '../contracts/index.ts';
import { agentMessage, sessionEntry, sessionHeader, subagentSnapshot } from '../protocol/index.ts';

const subscriptionLevel = picklist(['off', 'progress', 'events']);

export const setSubagentSubscription = command({
  name: 'set_subagent_subscription',
  stability: 'experimental',
  doc: 'Select which subagent events are sent: only start and end (`off`, the default), progress as well (`progress`), or also every event of their sessions (`events`).',
  lane: 'ordered',
  params: object({ level: subscriptionLevel }),
  result: object({ level: subscriptionLevel }),
  examples: [{ level: 'progress' }],
  async run({ level }, { host }) {
    await host.setSubagentSubscription(level);
    return { level };
  },
});

export const getSubagents = command({
  name: 'get_subagents',
  stability: 'experimental',
  doc: 'The running subagents, including nested ones.',
  lane: 'now',
  params: object({}),
  result: object({ subagents: array(subagentSnapshot) }),
  run: async (_, { session }) => ({ subagents: [...session.subagents.list()] }),
});

export const getSubagentMessages = command({
  name: 'get_subagent_messages',
  stability: 'experimental',
  doc: 'The log of a subagent of this session, starting at byte offset `fromByte`; also available after it has ended. Continue with `nextByte`.',
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
  run: (request, { session }) => session.subagents.readTranscript(request),
});
