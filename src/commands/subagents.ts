// Commands that list, observe and control the subagents of a session.
import { array, boolean, integer, minValue, number, object, optional, picklist, pipe, string, union } from 'valibot';
import { command } from '../contracts/index.ts';
import { agentMessage, sessionEntry, sessionHeader, subagentSnapshot, verificationRequest } from '../protocol/index.ts';

const subscriptionLevel = picklist(['off', 'progress', 'events']);

export const setSubagentSubscription = command({
  name: 'set_subagent_subscription',
  stability: 'experimental',
  doc: 'Select which subagent events are sent: only start and end (`off`, the default), progress as well (`progress`), or also every event of their sessions (`events`).',
  lane: 'ordered',
  access: 'read',
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
  doc: 'The running subagents, including nested ones. With `includeEnded`, those of this session that have ended come first, also those from before it was resumed.',
  lane: 'now',
  access: 'read',
  params: object({ includeEnded: optional(boolean()) }),
  result: object({ subagents: array(subagentSnapshot) }),
  examples: [{}, { includeEnded: true }],
  async run({ includeEnded }, { session }) {
    const ended = includeEnded ? await session.subagents.listEnded() : [];
    return { subagents: [...ended, ...session.subagents.list()] };
  },
});

export const startSubagent = command({
  name: 'start_subagent',
  stability: 'experimental',
  doc: 'Start one task outside of a model’s turn, as the task tool does: with the same agents, limits, permissions and events. Answered when the subagent has started. Its result is not added to the conversation: see `includeEnded` of get_subagents, and get_subagent_messages. abort does not stop it; stop_subagent does, and so does the end of the session.',
  lane: 'now',
  long: true,
  params: object({
    agent: string(),
    assignment: string(),
    description: optional(string()),
    context: optional(string()),
    isolated: optional(boolean()),
    verify: optional(union([boolean(), string(), verificationRequest])),
  }),
  result: object({ subagentId: string() }),
  examples: [{ agent: 'explore', assignment: 'Find the code that reads the settings' }],
  run: async (request, { session }) => ({ subagentId: await session.subagents.start(request) }),
});

export const steerSubagent = command({
  name: 'steer_subagent',
  stability: 'experimental',
  doc: 'Queue a message for a running subagent. It is sent to its model after the tool calls of the current turn. Answered when it is on disk. Refused when the subagent has ended, or its work is being verified.',
  lane: 'ordered',
  params: object({ subagentId: string(), message: string() }),
  examples: [{ subagentId: 'ReadTheDocs', message: 'Only the pages about settings' }],
  run: ({ subagentId, message }, { session }) => session.subagents.steer(subagentId, message),
});

export const stopSubagent = command({
  name: 'stop_subagent',
  stability: 'experimental',
  doc: 'Stop one subagent and its own subagents. Other subagents and the run of the session go on; the task tool reports the subagent as stopped, with `reason`. Answered after its `subagent_end`. The change of an isolated subagent that had not finished is discarded.',
  lane: 'now',
  long: true,
  params: object({ subagentId: string(), reason: optional(string()) }),
  examples: [{ subagentId: 'ReadTheDocs', reason: 'No longer needed' }],
  run: ({ subagentId, reason }, { session }) => session.subagents.stop(subagentId, reason),
});

export const resumeSubagent = command({
  name: 'resume_subagent',
  stability: 'experimental',
  doc: 'Continue a subagent of this session that has ended, with its own log as history and a further message. Events and permissions are those of a new task of the same agent. An isolated subagent gets a new copy of the repository with its change; refused when that change was not kept or does not apply. Answered when it has started again.',
  lane: 'now',
  long: true,
  params: object({ subagentId: string(), message: string() }),
  examples: [{ subagentId: 'ReadTheDocs', message: 'Now the page about models' }],
  run: ({ subagentId, message }, { session }) => session.subagents.resume(subagentId, message),
});

export const getSubagentMessages = command({
  name: 'get_subagent_messages',
  stability: 'experimental',
  doc: 'The log of a subagent of this session, starting at byte offset `fromByte`; also available after it has ended. Continue with `nextByte`.',
  lane: 'now',
  access: 'read',
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
