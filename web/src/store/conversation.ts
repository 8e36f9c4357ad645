// The conversation of a session or of a subagent: messages, the message that is being streamed, and running tools. Pure.
import type { AgentEvent, AgentMessage, AssistantMessage } from '../../../src/protocol/index.ts';
import type { RunningTool, ToolOutput } from '../wire/server-frames.ts';
import { applyStreamEvent, type StreamedMessage } from './stream-message.ts';

/** A tool call that is running, or whose result message has not arrived yet. */
export interface ToolRun {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly output: ToolOutput | undefined;
  readonly status: 'running' | 'done' | 'failed';
}

/** A short text between two messages: a retry, a compaction, a notice. */
export interface NoticeView {
  readonly id: number;
  /** The number of messages before it. */
  readonly position: number;
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
}

export interface Conversation {
  /** By index in the conversation. A hole is a message that is not loaded. */
  readonly messages: readonly (AgentMessage | undefined)[];
  readonly openMessage: StreamedMessage | undefined;
  readonly tools: ReadonlyMap<string, ToolRun>;
  readonly notices: readonly NoticeView[];
  /** Messages at the end of a loaded range whose `message_end` may still follow: they are on disk before they are announced. */
  readonly unannounced: readonly AgentMessage[];
  /** Counts replacements of the whole conversation, so that positions on the screen are not kept. */
  readonly generation: number;
}

export const EMPTY_CONVERSATION: Conversation = {
  messages: [],
  openMessage: undefined,
  tools: new Map(),
  notices: [],
  unannounced: [],
  generation: 0,
};

/** More notices: the oldest are forgotten. */
const MAX_NOTICES = 200;

export interface ConversationStart {
  readonly messages: readonly AgentMessage[];
  readonly totalMessages: number;
  readonly firstIndex: number;
  readonly openMessage?: AssistantMessage | null;
  readonly runningTools?: readonly RunningTool[];
}

/** Replaces the conversation. Messages before `firstIndex` are not loaded. */
export function startConversation(old: Conversation, start: ConversationStart): Conversation {
  const messages = new Array<AgentMessage | undefined>(Math.max(start.totalMessages, 0)).fill(undefined);
  start.messages.forEach((message, at) => {
    messages[start.firstIndex + at] = message;
  });
  const tools = (start.runningTools ?? []).map(({ toolCallId, toolName, args, partialResult }): [string, ToolRun] => [
    toolCallId,
    { toolCallId, toolName, args, output: partialResult as ToolOutput | undefined, status: 'running' },
  ]);
  return {
    messages,
    openMessage: start.openMessage ?? undefined,
    tools: new Map(tools),
    notices: [],
    unannounced: [],
    generation: old.generation + 1,
  };
}

/** More messages are never on disk without being announced. */
const MAX_UNANNOUNCED = 8;

/** Replaces the messages after the path was replaced. What is being streamed goes on. */
export function replaceMessages(old: Conversation, start: ConversationStart): Conversation {
  const { openMessage, tools } = old;
  return { ...startConversation(old, start), openMessage, tools, unannounced: start.messages.slice(-MAX_UNANNOUNCED) };
}

/** Fills in messages that were not loaded. */
export function insertMessages(old: Conversation, start: number, loaded: readonly AgentMessage[]): Conversation {
  const messages = [...old.messages];
  loaded.forEach((message, at) => {
    if (start + at < messages.length) messages[start + at] ??= message;
  });
  return { ...old, messages };
}

export function addNotice(old: Conversation, level: NoticeView['level'], text: string): Conversation {
  const id = (old.notices.at(-1)?.id ?? 0) + 1;
  const notices = [...old.notices, { id, position: old.messages.length, level, text }];
  return { ...old, notices: notices.slice(-MAX_NOTICES) };
}

/** The conversation after an event. Returns the same object if the event does not concern it. */
export function reduceConversation(old: Conversation, event: AgentEvent): Conversation {
  switch (event.type) {
    case 'message_start':
      return event.message.role === 'assistant' ? { ...old, openMessage: event.message } : old;
    case 'message_update':
      return { ...old, openMessage: applyStreamEvent(old.openMessage, event) };
    case 'message_end':
      return appendMessage(old, event.message);
    case 'tool_execution_start':
    case 'tool_execution_update':
    case 'tool_execution_end':
      return reduceTool(old, event);
    case 'agent_end':
      return old.openMessage || old.tools.size > 0 ? { ...old, openMessage: undefined, tools: new Map() } : old;
    default:
      return old;
  }
}

function appendMessage(old: Conversation, message: AgentMessage): Conversation {
  const openMessage = message.role === 'assistant' ? undefined : old.openMessage;
  const at = findUnannounced(old, message);
  const messages = at < 0 ? [...old.messages, message] : old.messages;
  const unannounced = at < 0 ? [] : old.unannounced.slice(at + 1);
  const next = { ...old, messages, openMessage, unannounced };
  if (message.role !== 'toolResult' || !old.tools.has(message.toolCallId)) return next;
  const tools = new Map(old.tools);
  tools.delete(message.toolCallId);
  return { ...next, tools };
}

function findUnannounced({ unannounced }: Conversation, message: AgentMessage): number {
  if (unannounced.length === 0) return -1;
  const text = JSON.stringify(message);
  return unannounced.findIndex((known) => known.timestamp === message.timestamp && JSON.stringify(known) === text);
}

type ToolEvent = Extract<AgentEvent, { type: `tool_execution_${string}` }>;

function reduceTool(old: Conversation, event: ToolEvent): Conversation {
  const { toolCallId, toolName } = event;
  const known = old.tools.get(toolCallId);
  const tools = new Map(old.tools);
  if (event.type === 'tool_execution_end') {
    const status = event.isError ? 'failed' : 'done';
    tools.set(toolCallId, { toolCallId, toolName, args: known?.args ?? {}, output: event.result, status });
  } else {
    const output = event.type === 'tool_execution_update' ? event.partialResult : undefined;
    tools.set(toolCallId, { toolCallId, toolName, args: event.args, output, status: 'running' });
  }
  return { ...old, tools };
}
