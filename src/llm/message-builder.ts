// Builds the AssistantMessage of a stream and the event for each change.
import { Fault } from '../base/index.ts';
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  createEmptyUsage,
  type Model,
  type StopReason,
  type StreamEvent,
  type TextContent,
  type ThinkingContent,
  type ToolCall,
  type Usage,
} from '../protocol/index.ts';
import { ToolArguments } from './tool-arguments.ts';

export type DoneReason = Extract<StopReason, 'stop' | 'length' | 'toolUse'>;
export type FailureReason = Extract<StopReason, 'aborted' | 'error'>;

export const ABORTED_MESSAGE = 'Request was aborted';

/**
 * One answer while it is streamed. Every event carries the same message object. Blocks are added one after the other and
 * only the last one grows. Consumers can therefore append to a serialization instead of serializing the message again.
 */
export class MessageBuilder {
  readonly message: AssistantMessage;
  /** Changes with every piece of content, even if no event shows it yet. Distinguishes a slow answer from keep-alive pings. */
  progress = 0;
  #openBlock: StreamedBlock | undefined;
  // The raw argument text is not part of the message. The block holds what could be parsed so far.
  #arguments = new ToolArguments('');

  readonly #toolNames: ReadonlyMap<string, string> | undefined;

  /** `toolNames`: name sent to the model → original tool name. */
  constructor(
    model: Pick<Model, 'api' | 'provider' | 'id'>,
    timestamp: number,
    toolNames?: ReadonlyMap<string, string>,
  ) {
    this.#toolNames = toolNames;
    this.message = {
      role: 'assistant',
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: freezeUsage(createEmptyUsage()),
      stopReason: 'stop',
      timestamp,
    };
  }

  start(): AssistantMessageEvent {
    return { type: 'start', partial: this.message };
  }

  startText(): StreamEvent {
    return { type: 'text_start', contentIndex: this.#startBlock({ type: 'text', text: '' }), partial: this.message };
  }

  appendText(delta: string): StreamEvent {
    this.#requireOpenBlock('text').text += delta;
    this.#countProgress(delta);
    return { type: 'text_delta', contentIndex: this.#lastIndex, delta, partial: this.message };
  }

  endText(signature?: string): StreamEvent {
    const block = this.#endBlock('text');
    if (signature !== undefined) block.textSignature = signature;
    return { type: 'text_end', contentIndex: this.#lastIndex, content: block.text, partial: this.message };
  }

  startThinking(): StreamEvent {
    const contentIndex = this.#startBlock({ type: 'thinking', thinking: '' });
    return { type: 'thinking_start', contentIndex, partial: this.message };
  }

  appendThinking(delta: string): StreamEvent {
    this.#requireOpenBlock('thinking').thinking += delta;
    this.#countProgress(delta);
    return { type: 'thinking_delta', contentIndex: this.#lastIndex, delta, partial: this.message };
  }

  endThinking(signature?: string, redacted = false): StreamEvent {
    const block = this.#endBlock('thinking');
    if (signature !== undefined) block.thinkingSignature = signature;
    if (redacted) block.redacted = true;
    return { type: 'thinking_end', contentIndex: this.#lastIndex, content: block.thinking, partial: this.message };
  }

  startToolCall(id: string, toolName: string): StreamEvent {
    const name = this.#toolNames?.get(toolName) ?? toolName;
    this.#arguments = new ToolArguments(name);
    const contentIndex = this.#startBlock({ type: 'toolCall', id, name, arguments: {} });
    return { type: 'toolcall_start', contentIndex, partial: this.message };
  }

  /** From time to time replaces the block's `arguments` with what can be parsed so far, always with a new object. */
  appendToolCall(delta: string): StreamEvent {
    const block = this.#requireOpenBlock('toolCall');
    const parsed = this.#arguments.append(delta);
    if (parsed) block.arguments = parsed;
    this.#countProgress(delta);
    return { type: 'toolcall_delta', contentIndex: this.#lastIndex, delta, partial: this.message };
  }

  /** Whether the open call has complete arguments. Some providers report the length limit only after the call. */
  get isToolCallComplete(): boolean {
    this.#requireOpenBlock('toolCall');
    return this.#arguments.isComplete;
  }

  /**
   * Parses the arguments. Throws if the text is not a JSON object, because running a call with wrong arguments would be
   * worse than failing. `cut` means that the answer hit its length limit inside the call. Such a call is never run; it ends
   * without arguments, because a partial command is dangerous.
   */
  endToolCall(options: { cut?: boolean; thoughtSignature?: string | undefined } = {}): StreamEvent {
    const block = this.#requireOpenBlock('toolCall');
    block.arguments = options.cut ? {} : this.#arguments.parseComplete();
    if (options.thoughtSignature !== undefined) block.thoughtSignature = options.thoughtSignature;
    this.#endBlock('toolCall');
    return { type: 'toolcall_end', contentIndex: this.#lastIndex, toolCall: block, partial: this.message };
  }

  /**
   * Replaces the streamed text of the open block with the provider's final text. The next end event contains it. A text
   * block becomes a new object, so that consumers of the deltas detect the change.
   */
  replaceOpenBlock(text: string): void {
    const block = this.#openBlock;
    this.progress++;
    if (block?.type === 'toolCall') {
      this.#arguments = new ToolArguments(block.name);
      block.arguments = this.#arguments.append(text) ?? {};
    } else if (block) {
      const replacement = block.type === 'text' ? { ...block, text } : { ...block, thinking: text };
      this.message.content[this.#lastIndex] = replacement;
      this.#openBlock = replacement;
    }
  }

  /** Replaces the usage. Equal usage keeps the old object, because consumers cache its serialization by identity. */
  setUsage(usage: Usage): void {
    if (!isSameUsage(this.message.usage, usage))
      this.message.usage = freezeUsage({ ...usage, cost: { ...usage.cost } });
  }

  finish(reason: DoneReason): AssistantMessageEvent {
    if (this.#openBlock) throw new Fault('internal', `The answer ended inside a ${this.#openBlock.type} block`);
    this.message.stopReason = reason;
    return { type: 'done', reason, message: this.message };
  }

  /** Keeps the content received so far, including an unfinished block. */
  fail(reason: FailureReason, errorMessage: string): AssistantMessageEvent & { type: 'error' } {
    this.#openBlock = undefined;
    return failMessage(this.message, reason, errorMessage);
  }

  get #lastIndex(): number {
    return this.message.content.length - 1;
  }

  #startBlock(block: StreamedBlock): number {
    if (this.#openBlock)
      throw new Fault('internal', `A ${block.type} block began inside a ${this.#openBlock.type} block`);
    this.#openBlock = block;
    this.progress++;
    return this.message.content.push(block) - 1;
  }

  /** Some servers send empty deltas as keep-alive pings. */
  #countProgress(delta: string): void {
    if (delta !== '') this.progress++;
  }

  #requireOpenBlock<T extends StreamedBlock['type']>(type: T): BlockOf<T> {
    if (this.#openBlock?.type !== type) throw new Fault('internal', `No ${type} block is open in this answer`);
    return this.#openBlock as BlockOf<T>;
  }

  #endBlock<T extends StreamedBlock['type']>(type: T): BlockOf<T> {
    const block = this.#requireOpenBlock(type);
    this.#openBlock = undefined;
    this.progress++;
    return block;
  }
}

type StreamedBlock = TextContent | ThinkingContent | ToolCall;
type BlockOf<T extends StreamedBlock['type']> = Extract<StreamedBlock, { type: T }>;

/** Ends a message with an error. Also for messages of another MessageBuilder whose stream broke. */
export function failMessage(
  message: AssistantMessage,
  reason: FailureReason,
  errorMessage: string,
): AssistantMessageEvent & { type: 'error' } {
  const { timestamp } = message;
  // Removed and added again, to keep the documented key order on the wire.
  delete (message as Partial<AssistantMessage>).timestamp;
  Object.assign(message, { stopReason: reason, errorMessage, timestamp });
  return { type: 'error', reason, error: message };
}

function freezeUsage(usage: Usage): Usage {
  Object.freeze(usage.cost);
  return Object.freeze(usage) as Usage;
}

const USAGE_COUNTS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

function isSameUsage(a: Usage, b: Usage): boolean {
  return USAGE_COUNTS.every((key) => a[key] === b[key] && a.cost[key] === b.cost[key]) && a.cost.total === b.cost.total;
}
