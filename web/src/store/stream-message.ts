// Builds the assistant message that is being streamed from the deltas of `message_update`. Pure.
import type { AgentEvent, AssistantMessage, StreamEvent, ToolCall } from '../../../src/protocol/index.ts';

type Block = AssistantMessage['content'][number];

/** A tool call whose arguments are not complete has their text so far. */
export type StreamedBlock = Block & { readonly argumentText?: string };

export type StreamedMessage = Omit<AssistantMessage, 'content'> & { readonly content: readonly StreamedBlock[] };

type UpdateEvent = Extract<AgentEvent, { type: 'message_update' }>;

/** Frames of a `delta` stream have no `message` and no `partial`; `toolcall_start` has the id and the name instead. */
type WireStreamEvent = Omit<StreamEvent, 'partial'> & {
  readonly id?: string;
  readonly toolName?: string;
  readonly delta?: string;
  readonly content?: string;
  readonly toolCall?: ToolCall;
};

const EMPTY_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Used when the start of the message was not seen. */
const UNKNOWN_MESSAGE: StreamedMessage = {
  role: 'assistant',
  content: [],
  api: '',
  provider: '',
  model: '',
  usage: EMPTY_USAGE,
  stopReason: 'stop',
  timestamp: 0,
};

export function applyStreamEvent(old: StreamedMessage | undefined, update: UpdateEvent): StreamedMessage {
  const event = update.assistantMessageEvent as unknown as WireStreamEvent;
  // A full stream repeats the whole message. Only the text of the arguments is not part of it.
  const base = (update.message as AssistantMessage | undefined) ?? old ?? UNKNOWN_MESSAGE;
  const at = event.contentIndex;
  const before = old?.content[at];
  const isFull = (update.message as unknown) !== undefined;
  const block = isFull ? addArgumentText(base.content[at], before, event) : applyToBlock(before, event);
  if (!block || block === base.content[at]) return base;
  const content = [...base.content];
  while (content.length < at) content.push({ type: 'text', text: '' });
  content[at] = block;
  return { ...base, content };
}

function applyToBlock(before: StreamedBlock | undefined, event: WireStreamEvent): StreamedBlock | undefined {
  const { type, delta = '', content = '' } = event;
  const text = before?.type === 'text' ? before.text : '';
  const thinking = before?.type === 'thinking' ? before.thinking : '';
  switch (type) {
    case 'text_start':
      return { type: 'text', text: '' };
    case 'text_delta':
      return { type: 'text', text: text + delta };
    case 'text_end':
      return { type: 'text', text: content };
    case 'thinking_start':
      return { type: 'thinking', thinking: '' };
    case 'thinking_delta':
      return { type: 'thinking', thinking: thinking + delta };
    case 'thinking_end':
      return { type: 'thinking', thinking: content };
    default:
      return applyToCall(before, event);
  }
}

function applyToCall(before: StreamedBlock | undefined, event: WireStreamEvent): StreamedBlock | undefined {
  const { type, id = '', toolName = '', delta = '', toolCall } = event;
  if (type === 'toolcall_end') return toolCall;
  if (type === 'toolcall_start') return { type: 'toolCall', id, name: toolName, arguments: {}, argumentText: '' };
  if (type !== 'toolcall_delta') return before;
  const call = before?.type === 'toolCall' ? before : { type: 'toolCall' as const, id: '', name: '', arguments: {} };
  return { ...call, argumentText: (before?.argumentText ?? '') + delta };
}

function addArgumentText(
  block: StreamedBlock | undefined,
  before: StreamedBlock | undefined,
  { type, delta = '' }: WireStreamEvent,
): StreamedBlock | undefined {
  if (block?.type !== 'toolCall' || type === 'toolcall_end') return block;
  return { ...block, argumentText: (before?.argumentText ?? '') + delta };
}
