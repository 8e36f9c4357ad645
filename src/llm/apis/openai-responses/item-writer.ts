// Writes output items to the message, with the ids and signatures that are needed to send them back.
import type {
  ResponseFunctionToolCall,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import type { StreamEvent } from '../../../protocol/index.ts';
import { createMalformedFault } from '../../http/provider-fault.ts';
import type { MessageBuilder } from '../../message-builder.ts';
import { encodeHostedSignature, encodeReasoningSignature, encodeTextSignature, joinCallId } from './signature.ts';

export type KnownItem = ResponseOutputMessage | ResponseReasoningItem | ResponseFunctionToolCall;

export interface OpenItem {
  readonly index: number;
  readonly kind: KnownItem['type'];
  text: string;
  /** Index of the part of the item that was streamed last. */
  part: number;
}

export const NO_EVENTS: readonly StreamEvent[] = [];

const PARAGRAPH = '\n\n';

/** The caller keeps the open item, and starts an item only when no other is open. */
export class ItemWriter {
  readonly #builder: MessageBuilder;
  /** Ids are stored only as long as all earlier items can be sent back, because reasoning and the next item need each other. */
  #storesIds = true;
  #hasReasoning = false;

  constructor(builder: MessageBuilder) {
    this.#builder = builder;
  }

  start(item: KnownItem): StreamEvent {
    if (item.type === 'message') return this.#builder.startText();
    if (item.type === 'reasoning') return this.#builder.startThinking();
    return this.#startCall(item);
  }

  #startCall(item: ResponseFunctionToolCall): StreamEvent {
    const callId = item.call_id || item.id;
    if (!callId || !item.name) throw createMalformedFault('The model sent a tool call without a name or an id');
    return this.#builder.startToolCall(joinCallId(callId, this.#storesIds ? item : undefined), item.name);
  }

  appendDelta(item: OpenItem, part: number, delta: string): StreamEvent {
    const startsNewPart = part !== item.part && item.text !== '';
    item.part = part;
    return this.#append(item, startsNewPart ? PARAGRAPH + delta : delta);
  }

  #append(item: OpenItem, piece: string): StreamEvent {
    item.text += piece;
    if (item.kind === 'message') return this.#builder.appendText(piece);
    if (item.kind === 'reasoning') return this.#builder.appendThinking(piece);
    return this.#builder.appendToolCall(piece);
  }

  /** An empty text means that the gateway does not repeat what it streamed. */
  setFullText(item: OpenItem, fullText: string): readonly StreamEvent[] {
    if (fullText === '' || fullText === item.text) return NO_EVENTS;
    if (fullText.startsWith(item.text)) return [this.#append(item, fullText.slice(item.text.length))];
    // Reasoning may be streamed both in full and as a summary; the finished item contains one of them.
    if (item.kind === 'reasoning' && item.text.includes(fullText)) return NO_EVENTS;
    item.text = fullText;
    this.#builder.replaceOpenBlock(fullText);
    return NO_EVENTS;
  }

  endMessage({ text }: OpenItem, item: ResponseOutputMessage): StreamEvent {
    // A message without visible text is not sent back.
    if (text.trim() === '') this.#storesIds = false;
    return this.#builder.endText(this.#storesIds ? encodeTextSignature(item) : undefined);
  }

  endReasoning({ text }: OpenItem, item?: ResponseOutputItem): StreamEvent {
    const signature = item && encodeReasoningSignature(item);
    if (signature === undefined) this.#storesIds = false;
    this.#hasReasoning = true;
    return this.#builder.endThinking(signature, signature !== undefined && text === '');
  }

  /**
   * Tools that the provider runs itself are not shown. After reasoning their items must be sent back, because the API
   * rejects reasoning without the item that followed it.
   */
  *writeHosted(item: ResponseOutputItem): Generator<StreamEvent> {
    if (!this.#hasReasoning) return;
    const signature = encodeHostedSignature(item);
    if (signature === undefined) this.#storesIds = false;
    if (!this.#storesIds) return;
    yield this.#builder.startThinking();
    yield this.#builder.endThinking(signature, true);
  }

  /** An unfinished hosted item cannot be sent back, so later items are stored without ids. */
  skipHosted(): void {
    if (this.#hasReasoning) this.#storesIds = false;
  }
}

export function isKnownItem(item: ResponseOutputItem): item is KnownItem {
  return item.type === 'message' || item.type === 'reasoning' || item.type === 'function_call';
}

export function getFullText(item: KnownItem): string {
  if (item.type === 'function_call') return typeof item.arguments === 'string' ? item.arguments : '';
  if (item.type === 'reasoning') {
    const parts = item.summary?.length ? item.summary : (item.content ?? []);
    return parts.map(({ text }) => text).join(PARAGRAPH);
  }
  return (item.content ?? []).reduce((text, part) => {
    if (part.type === 'output_text') return text + part.text;
    return text === '' ? part.refusal : text + PARAGRAPH + part.refusal;
  }, '');
}
