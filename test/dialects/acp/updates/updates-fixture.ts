// Test helper: an encoder with a session of fixed values. Every update is validated against the schema.
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentSession } from '../../../../src/contracts/index.ts';
import { type ClientCapabilities, parseClientCapabilities } from '../../../../src/dialects/acp/client-capabilities.ts';
import { SessionUpdateEncoder } from '../../../../src/dialects/acp/updates/index.ts';
import {
  type AgentEvent,
  type AgentMessage,
  type AssistantMessage,
  createEmptyUsage,
  type StreamEvent,
} from '../../../../src/protocol/index.ts';
import { validate } from '../schema-validator.ts';

export const CWD = '/projects/one';

export const allCapabilities = parseClientCapabilities({ session: { notices: {}, compaction: {} }, terminal: true });

export interface EncoderFixture {
  readonly encoder: SessionUpdateEncoder;
  encode(...events: AgentEvent[]): SessionUpdate[];
  /** The cost of the messages in the history of the session. */
  historyCost: number;
  /** The messages before the first event. */
  messages: AgentMessage[];
}

export function createEncoder(capabilities: Partial<ClientCapabilities> = allCapabilities): EncoderFixture {
  const fixture = { historyCost: 0, messages: [] as AgentMessage[] };
  const session = {
    id: 'session-1',
    cwd: CWD,
    context: { usage: () => ({ tokens: 1200.4, contextWindow: 200_000, percent: 0.6 }) },
    history: { stats: () => ({ cost: fixture.historyCost }), messages: () => fixture.messages },
  } as unknown as AgentSession;
  const encoder = new SessionUpdateEncoder(session, { ...parseClientCapabilities({}), ...capabilities });
  const encode = (...events: AgentEvent[]) =>
    events.flatMap((event) => encoder.encode(event)).map((update) => validated(update));
  return Object.assign(fixture, { encoder, encode });
}

/** The update as the client reads it. */
export function validated(update: SessionUpdate): SessionUpdate {
  const received = JSON.parse(JSON.stringify(update)) as SessionUpdate;
  validate('SessionUpdate', received);
  return received;
}

export function createAnswer(
  content: AssistantMessage['content'],
  fields: Partial<AssistantMessage> = {},
): AssistantMessage {
  const identity = { role: 'assistant' as const, api: 'test', provider: 'test', model: 'test' };
  return { ...identity, content, usage: createEmptyUsage(), stopReason: 'stop', timestamp: 1000, ...fields };
}

/** The events of an answer that is streamed in these deltas, without its message_end. */
export function* streamText(type: 'text' | 'thinking', deltas: readonly string[]): Iterable<AgentEvent> {
  const block = type === 'text' ? { type, text: '' } : { type, thinking: '' };
  const partial = createAnswer([block as { type: 'text'; text: string }]);
  const wrap = (event: StreamEvent): AgentEvent => ({
    type: 'message_update',
    message: partial,
    assistantMessageEvent: event,
  });
  yield { type: 'message_start', message: createAnswer([]) };
  yield wrap({ type: `${type}_start`, contentIndex: 0, partial } as StreamEvent);
  let text = '';
  for (const delta of deltas) {
    text += delta;
    Object.assign(block, type === 'text' ? { text } : { thinking: text });
    yield wrap({ type: `${type}_delta`, contentIndex: 0, delta, partial } as StreamEvent);
  }
  yield wrap({ type: `${type}_end`, contentIndex: 0, content: text, partial } as StreamEvent);
  yield { type: 'message_end', message: partial };
}

export function startCall(toolCallId: string, toolName: string, args: Record<string, unknown>): AgentEvent {
  return { type: 'tool_execution_start', toolCallId, toolName, args };
}

export function endCall(toolCallId: string, toolName: string, text: string, rest: Partial<EndFields> = {}): AgentEvent {
  const { details, isError = false } = rest;
  const result = { content: [{ type: 'text' as const, text }], details };
  return { type: 'tool_execution_end', toolCallId, toolName, result, isError };
}

interface EndFields {
  details: unknown;
  isError: boolean;
}
