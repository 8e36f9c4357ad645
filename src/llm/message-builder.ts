// First floor, llm: grows the one AssistantMessage of a stream and says so in events. Knows no provider's wire.
import { Fault } from '../base/index.ts';
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  type Model,
  noUsage,
  type StopReason,
  type StreamEvent,
  type TextContent,
  type ThinkingContent,
  type ToolCall,
  type Usage,
} from '../protocol/index.ts';
import { ToolArguments } from './tool-arguments.ts';

export type DoneReason = Extract<StopReason, 'stop' | 'length' | 'toolUse'>;
export type FailReason = Extract<StopReason, 'aborted' | 'error'>;

export const ABORTED_MESSAGE = 'Request was aborted';

/**
 * One answer as it grows. Every event carries the same message object. Blocks are made one after the other: only the
 * last one grows, which is what lets a reader of the events append to a serialisation instead of making it anew.
 */
export class MessageBuilder {
  readonly message: AssistantMessage;
  /** Changes with every piece of content, also one that no event shows yet: how a slow answer is told from pings. */
  progress = 0;
  #open: StreamedBlock | undefined;
  // The arguments' text stays outside the message: its block shows what could be read of it so far.
  #arguments = new ToolArguments('');

  readonly #toolNames: ReadonlyMap<string, string> | undefined;

  /** `toolNames`: what tools are called that the model knows under another name. */
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
      usage: frozen(noUsage()),
      stopReason: 'stop',
      timestamp,
    };
  }

  start(): AssistantMessageEvent {
    return { type: 'start', partial: this.message };
  }

  startText(): StreamEvent {
    return { type: 'text_start', contentIndex: this.#begin({ type: 'text', text: '' }), partial: this.message };
  }

  appendText(delta: string): StreamEvent {
    this.#current('text').text += delta;
    this.#progressed(delta);
    return { type: 'text_delta', contentIndex: this.#last, delta, partial: this.message };
  }

  endText(signature?: string): StreamEvent {
    const block = this.#end('text');
    if (signature !== undefined) block.textSignature = signature;
    return { type: 'text_end', contentIndex: this.#last, content: block.text, partial: this.message };
  }

  startThinking(): StreamEvent {
    const contentIndex = this.#begin({ type: 'thinking', thinking: '' });
    return { type: 'thinking_start', contentIndex, partial: this.message };
  }

  appendThinking(delta: string): StreamEvent {
    this.#current('thinking').thinking += delta;
    this.#progressed(delta);
    return { type: 'thinking_delta', contentIndex: this.#last, delta, partial: this.message };
  }

  endThinking(signature?: string, redacted = false): StreamEvent {
    const block = this.#end('thinking');
    if (signature !== undefined) block.thinkingSignature = signature;
    if (redacted) block.redacted = true;
    return { type: 'thinking_end', contentIndex: this.#last, content: block.thinking, partial: this.message };
  }

  startToolCall(id: string, told: string): StreamEvent {
    const name = this.#toolNames?.get(told) ?? told;
    this.#arguments = new ToolArguments(name);
    const contentIndex = this.#begin({ type: 'toolCall', id, name, arguments: {} });
    return { type: 'toolcall_start', contentIndex, partial: this.message };
  }

  /** The block's `arguments` are replaced now and then by what the text shows so far, always by a new object. */
  appendToolCall(delta: string): StreamEvent {
    const block = this.#current('toolCall');
    const seen = this.#arguments.append(delta);
    if (seen) block.arguments = seen;
    this.#progressed(delta);
    return { type: 'toolcall_delta', contentIndex: this.#last, delta, partial: this.message };
  }

  /** Whether the open call could end now. Some providers say only after a call that the length limit cut it. */
  get isToolCallWhole(): boolean {
    this.#current('toolCall');
    return this.#arguments.isWhole;
  }

  /**
   * Reads the arguments. Text that is no JSON object throws: to run a call with arguments the model did not give would be
   * worse than to fail. `cut` says that the answer hit its length limit inside the call, which nobody will run: half a
   * command is dangerous, so it ends without arguments.
   */
  endToolCall(options: { cut?: boolean; thoughtSignature?: string | undefined } = {}): StreamEvent {
    const block = this.#current('toolCall');
    block.arguments = options.cut ? {} : this.#arguments.whole();
    if (options.thoughtSignature !== undefined) block.thoughtSignature = options.thoughtSignature;
    this.#end('toolCall');
    return { type: 'toolcall_end', contentIndex: this.#last, toolCall: block, partial: this.message };
  }

  /**
   * The provider's finished text of the open block, in place of what was streamed. The next end event shows it. A text
   * block becomes another object, so that readers who follow the deltas notice.
   */
  replace(text: string): void {
    const open = this.#open;
    this.progress++;
    if (open?.type === 'toolCall') {
      this.#arguments = new ToolArguments(open.name);
      open.arguments = this.#arguments.append(text) ?? {};
    } else if (open) {
      const block = open.type === 'text' ? { ...open, text } : { ...open, thinking: text };
      this.message.content[this.#last] = block;
      this.#open = block;
    }
  }

  /** Replaces the usage; an equal one changes nothing, because readers cache its text by identity. */
  setUsage(usage: Usage): void {
    if (!sameUsage(this.message.usage, usage)) this.message.usage = frozen({ ...usage, cost: { ...usage.cost } });
  }

  finish(reason: DoneReason): AssistantMessageEvent {
    if (this.#open) throw new Fault('internal', `The answer ended inside a ${this.#open.type} block`);
    this.message.stopReason = reason;
    return { type: 'done', reason, message: this.message };
  }

  /** What came so far is kept, an unfinished block included. */
  fail(reason: FailReason, errorMessage: string): AssistantMessageEvent & { type: 'error' } {
    this.#open = undefined;
    return failMessage(this.message, reason, errorMessage);
  }

  get #last(): number {
    return this.message.content.length - 1;
  }

  #begin(block: StreamedBlock): number {
    if (this.#open) throw new Fault('internal', `A ${block.type} block began inside a ${this.#open.type} block`);
    this.#open = block;
    this.progress++;
    return this.message.content.push(block) - 1;
  }

  /** Some servers send empty pieces as pings. */
  #progressed(delta: string): void {
    if (delta !== '') this.progress++;
  }

  #current<T extends StreamedBlock['type']>(type: T): BlockOf<T> {
    if (this.#open?.type !== type) throw new Fault('internal', `No ${type} block is open in this answer`);
    return this.#open as BlockOf<T>;
  }

  #end<T extends StreamedBlock['type']>(type: T): BlockOf<T> {
    const block = this.#current(type);
    this.#open = undefined;
    this.progress++;
    return block;
  }
}

type StreamedBlock = TextContent | ThinkingContent | ToolCall;
type BlockOf<T extends StreamedBlock['type']> = Extract<StreamedBlock, { type: T }>;

/** Ends a message that somebody else grew, when its stream broke. */
export function failMessage(
  message: AssistantMessage,
  reason: FailReason,
  errorMessage: string,
): AssistantMessageEvent & { type: 'error' } {
  const { timestamp } = message;
  // Taken out and put back, so that the order of the keys on the wire stays the documented one.
  delete (message as Partial<AssistantMessage>).timestamp;
  Object.assign(message, { stopReason: reason, errorMessage, timestamp });
  return { type: 'error', reason, error: message };
}

function frozen(usage: Usage): Usage {
  Object.freeze(usage.cost);
  return Object.freeze(usage) as Usage;
}

const COUNTS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

function sameUsage(a: Usage, b: Usage): boolean {
  return COUNTS.every((key) => a[key] === b[key] && a.cost[key] === b.cost[key]) && a.cost.total === b.cost.total;
}
