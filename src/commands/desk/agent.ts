// First floor, commands: the agent of one session, for hosts that draw a status line.
import {
  array,
  boolean,
  integer,
  minValue,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  record,
  string,
  unknown,
} from 'valibot';
import { command, tokenUsage } from '../../contracts/index.ts';
import { type AgentMessage, callsOf, type SessionEntry, textOf } from '../../protocol/index.ts';
import { chosenBy, chosenModel } from './models.ts';

export const ping = command({
  name: 'ping',
  stability: 'experimental',
  doc: 'Answers at once, to show that somebody is there.',
  lane: 'now',
  params: object({}),
  run: async () => {},
});

export const agentState = command({
  name: 'agent_state',
  doc: 'What the session is doing, with which model and tools, and what it has used.',
  lane: 'now',
  params: object({}),
  result: object({
    sessionId: string(),
    status: picklist(['idle', 'running']),
    model: chosenModel,
    messageCount: number(),
    tools: array(string()),
    tokenUsage: object({
      promptTokens: number(),
      completionTokens: number(),
      totalTokens: number(),
      contextWindow: number(),
      currentContextTokens: number(),
    }),
  }),
  async run(_, { session }) {
    const { isStreaming, isCompacting, messageCount } = session.state();
    return {
      sessionId: session.id,
      status: isStreaming || isCompacting ? ('running' as const) : ('idle' as const),
      model: chosenBy(session),
      messageCount,
      tools: (await session.tools.all()).map(({ name }) => name),
      tokenUsage: tokenUsage(session),
    };
  },
});

export const stopRun = command({
  name: 'stop_run',
  doc: 'Stop the current run, if there is one, without waiting for its last event.',
  lane: 'now',
  params: object({}),
  result: object({ running: boolean() }),
  async run(_, { session }) {
    const running = !session.runs.isSettled;
    void session.runs.abort();
    return { running };
  },
});

export const compactSession = command({
  name: 'compact_session',
  doc: 'Put a summary in the place of the older part of the conversation. `keep_recent` is how many of the newest messages stay as they are; without it, as many as the settings say, in tokens.',
  lane: 'ordered',
  long: true,
  params: object({
    keepRecent: optional(pipe(number(), integer('must be a whole number'), minValue(1, 'must be 1 or more'))),
  }),
  async run({ keepRecent: keepMessages }, { session }) {
    await session.compaction.compact(undefined, { keepMessages });
  },
});

const told = object({
  id: string(),
  role: string(),
  content: nullable(string()),
  isError: boolean(),
  thinking: optional(string()),
  callId: optional(string()),
  name: optional(string()),
  toolCalls: optional(array(object({ callId: string(), name: string(), arguments: record(string(), unknown()) }))),
});

export const sessionHistory = command({
  name: 'session_history',
  stability: 'experimental',
  doc: 'What was said, from the first message to where the conversation stands. An id names the place to branch at.',
  lane: 'ordered',
  params: object({}),
  result: object({ messages: array(told) }),
  async run(_, { session }) {
    const { entries, leafId } = await session.history.entries();
    return { messages: lineTo(entries, leafId).flatMap((entry) => (entry.type === 'message' ? [tell(entry)] : [])) };
  },
});

function lineTo(entries: readonly SessionEntry[], leafId: string | null): SessionEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const line: SessionEntry[] = [];
  for (let at = byId.get(leafId ?? ''); at; at = byId.get(at.parentId ?? '')) line.push(at);
  return line.reverse();
}

function tell({ id, message }: Extract<SessionEntry, { type: 'message' }>) {
  const common = { id, role: roleOf(message), content: contentOf(message), isError: false };
  if (message.role === 'toolResult') {
    const { toolCallId: callId, toolName: name, isError } = message;
    return { ...common, callId, name, isError };
  }
  if (message.role !== 'assistant') return common;
  const thinking = message.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('');
  const calls = callsOf(message).map(({ id: callId, name, arguments: args }) => ({ callId, name, arguments: args }));
  return {
    ...common,
    isError: message.stopReason === 'error',
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  };
}

function roleOf({ role }: AgentMessage): string {
  if (role === 'toolResult') return 'tool_result';
  return role === 'assistant' ? role : 'user';
}

function contentOf(message: AgentMessage): string | null {
  return 'content' in message ? textOf(message.content) || null : null;
}
