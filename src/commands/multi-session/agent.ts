// Commands for the status and the history of one session, in the format of Opal.
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
import { command, getTokenUsage } from '../../contracts/index.ts';
import { type AgentMessage, extractText, getToolCalls, type SessionEntry } from '../../protocol/index.ts';
import { getSelectedModel, selectedModel } from './models.ts';

export const ping = command({
  name: 'ping',
  stability: 'experimental',
  doc: 'Replies immediately. Use it to check that the agent responds.',
  lane: 'now',
  params: object({}),
  run: async () => {},
});

export const agentState = command({
  name: 'agent_state',
  doc: 'The status of the session: idle or running, model, tools, message count and token usage.',
  lane: 'now',
  params: object({}),
  result: object({
    sessionId: string(),
    status: picklist(['idle', 'running']),
    model: selectedModel,
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
      model: getSelectedModel(session),
      messageCount,
      tools: (await session.tools.listAll()).map(({ name }) => name),
      tokenUsage: getTokenUsage(session),
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
  doc: 'Replace the older part of the conversation with a summary. `keep_recent` is the number of recent messages that are not summarised; without it the token limit of the settings applies.',
  lane: 'ordered',
  long: true,
  params: object({
    keepRecent: optional(pipe(number(), integer('must be a whole number'), minValue(1, 'must be 1 or more'))),
  }),
  async run({ keepRecent: keepMessages }, { session }) {
    await session.compaction.compact(undefined, { keepMessages });
  },
});

const historyMessage = object({
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
  doc: 'The messages of the current branch, oldest first. Use the id of a message to branch there.',
  lane: 'ordered',
  params: object({}),
  result: object({ messages: array(historyMessage) }),
  async run(_, { session }) {
    const { entries, leafId } = await session.history.entries();
    return {
      messages: collectPath(entries, leafId).flatMap((entry) =>
        entry.type === 'message' ? [toHistoryMessage(entry)] : [],
      ),
    };
  },
});

function collectPath(entries: readonly SessionEntry[], leafId: string | null): SessionEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path: SessionEntry[] = [];
  for (let entry = byId.get(leafId ?? ''); entry; entry = byId.get(entry.parentId ?? '')) path.push(entry);
  return path.reverse();
}

function toHistoryMessage({ id, message }: Extract<SessionEntry, { type: 'message' }>) {
  const common = { id, role: toRole(message), content: toContent(message), isError: false };
  if (message.role === 'toolResult') {
    const { toolCallId: callId, toolName: name, isError } = message;
    return { ...common, callId, name, isError };
  }
  if (message.role !== 'assistant') return common;
  const thinking = message.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('');
  const calls = getToolCalls(message).map(({ id: callId, name, arguments: args }) => ({
    callId,
    name,
    arguments: args,
  }));
  return {
    ...common,
    isError: message.stopReason === 'error',
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  };
}

function toRole({ role }: AgentMessage): string {
  if (role === 'toolResult') return 'tool_result';
  return role === 'assistant' ? role : 'user';
}

function toContent(message: AgentMessage): string | null {
  return 'content' in message ? extractText(message.content) || null : null;
}
