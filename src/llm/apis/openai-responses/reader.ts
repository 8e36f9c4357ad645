// Reads the events of an answer in the OpenAI Responses format and adds them to the message.
import type { Response, ResponseOutputItem, ResponseUsage } from 'openai/resources/responses/responses';
import type { ApiRequest } from '../../../contracts/index.ts';
import type { Model, StreamEvent, Usage } from '../../../protocol/index.ts';
import { addCost } from '../../cost.ts';
import { collectSecrets } from '../../http/headers.ts';
import type { ServerSentEvent } from '../../http/post-for-events.ts';
import { createMalformedFault, ProviderFault } from '../../http/provider-fault.ts';
import type { WireReader } from '../../http/wire-api.ts';
import type { DoneReason, MessageBuilder } from '../../message-builder.ts';
import { createErrorFrameFault, type Frame, parseFrame } from './frame.ts';
import { getFullText, ItemWriter, isKnownItem, NO_EVENTS, type OpenItem } from './item-writer.ts';

export function createReader(builder: MessageBuilder, request: ApiRequest): WireReader {
  return new ResponseReader(builder, request.model, collectSecrets(request));
}

type ItemFrame = Extract<Frame, { output_index: number }>;

/** A refusal is a normal answer of the model: it is shown as text, and the answer ends normally. */
const TEXT_PART = 0;
const REFUSAL_PART = 1;

class ResponseReader implements WireReader {
  readonly #builder: MessageBuilder;
  readonly #writer: ItemWriter;
  readonly #model: Model;
  readonly #secrets: readonly string[];
  /** Events of other items that arrived while an item is open. The message has only one open block at a time. */
  readonly #queued = new Map<number, ItemFrame[]>();
  readonly #closed = new Set<number>();
  /** Indexes of unfinished items of tools that the provider runs itself. */
  readonly #hosted = new Set<number>();
  #openItem: OpenItem | undefined;
  #finalResponse: Response | undefined;
  #isCut = false;

  constructor(builder: MessageBuilder, model: Model, secrets: readonly string[]) {
    this.#builder = builder;
    this.#writer = new ItemWriter(builder);
    this.#model = model;
    this.#secrets = secrets;
  }

  read({ data }: ServerSentEvent): Iterable<StreamEvent> {
    const frame = parseFrame(data, this.#secrets);
    if (!frame || this.#finalResponse) return NO_EVENTS;
    if ('output_index' in frame) return this.#readItemEvent(frame);
    switch (frame.type) {
      case 'response.completed':
      case 'response.incomplete':
        this.#finalResponse = frame.response;
        this.#isCut ||= frame.type === 'response.incomplete' || frame.response.status === 'incomplete';
        this.#updateUsage(frame.response);
        return NO_EVENTS;
      case 'response.failed':
        this.#updateUsage(frame.response);
        throw createErrorFrameFault(frame.response.error ?? {}, this.#secrets);
      case 'error':
        throw createErrorFrameFault(frame.error ?? { code: frame.code, message: frame.message }, this.#secrets);
      default:
        return NO_EVENTS;
    }
  }

  get isComplete(): boolean {
    return this.#finalResponse !== undefined;
  }

  *end(): Generator<StreamEvent, DoneReason> {
    if (!this.#finalResponse)
      throw createMalformedFault("The provider's stream ended early, before the answer was complete");
    const { incomplete_details: details, output } = this.#finalResponse;
    const { content } = this.#builder.message;
    if (details?.reason === 'content_filter') throw new ProviderFault({ kind: 'filter' }, CONTENT_FILTER_MESSAGE);
    while (this.#openItem) yield* this.#closeUnfinished(this.#openItem);
    // Some gateways do not stream and send the whole answer in the final event.
    if (content.length === 0) {
      for (const [index, item] of (output ?? []).entries()) yield* this.#finishItem(index, item);
      if (this.#openItem) yield* this.#closeUnfinished(this.#openItem);
    }
    if (this.#isCut) return 'length';
    return content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop';
  }

  #readItemEvent(frame: ItemFrame): Iterable<StreamEvent> {
    if (this.#openItem && this.#openItem.index !== frame.output_index) return this.#enqueue(frame);
    switch (frame.type) {
      case 'response.output_text.delta':
        return this.#appendDelta('message', TEXT_PART, frame.delta);
      case 'response.refusal.delta':
        return this.#appendDelta('message', REFUSAL_PART, frame.delta);
      case 'response.reasoning_summary_text.delta':
        return this.#appendDelta('reasoning', frame.summary_index, frame.delta);
      case 'response.reasoning_text.delta':
        return this.#appendDelta('reasoning', -1 - frame.content_index, frame.delta);
      case 'response.function_call_arguments.delta':
        return this.#appendDelta('function_call', 0, frame.delta);
      case 'response.function_call_arguments.done':
        if (this.#openItem?.kind !== 'function_call') return NO_EVENTS;
        return this.#writer.setFullText(this.#openItem, frame.arguments);
      case 'response.output_item.added':
        return this.#startItem(frame.output_index, frame.item);
      case 'response.output_item.done':
        return this.#finishItem(frame.output_index, frame.item);
      default:
        return NO_EVENTS;
    }
  }

  #enqueue(frame: ItemFrame): readonly StreamEvent[] {
    this.#builder.progress++;
    const frames = this.#queued.get(frame.output_index);
    if (frames) frames.push(frame);
    else this.#queued.set(frame.output_index, [frame]);
    return NO_EVENTS;
  }

  *#startItem(index: number, item: ResponseOutputItem): Generator<StreamEvent> {
    if (this.#openItem) yield* this.#closeUnfinished(this.#openItem);
    if (!isKnownItem(item)) {
      this.#hosted.add(index);
      return;
    }
    if (this.#hosted.size > 0) this.#writer.skipHosted();
    this.#openItem = { index, kind: item.type, text: '', part: 0 };
    yield this.#writer.start(item);
  }

  #appendDelta(kind: OpenItem['kind'], part: number, delta: string): readonly StreamEvent[] {
    const item = this.#openItem;
    if (item?.kind !== kind || typeof delta !== 'string' || delta === '') return NO_EVENTS;
    return [this.#writer.appendDelta(item, part, delta)];
  }

  /** The finished item wins, even if it differs from what was streamed. */
  *#finishItem(index: number, item: ResponseOutputItem): Generator<StreamEvent> {
    if (!isKnownItem(item)) return yield* this.#finishHosted(index, item);
    if (!this.#openItem && !this.#closed.has(index)) yield* this.#startItem(index, item);
    const openItem = this.#openItem;
    if (openItem?.kind !== item.type) return;
    yield* this.#writer.setFullText(openItem, getFullText(item));
    if (item.type === 'message') yield this.#writer.endMessage(openItem, item);
    else if (item.type === 'reasoning') yield this.#writer.endReasoning(openItem, item);
    else if (item.status === 'incomplete') {
      this.#isCut = true;
      yield this.#builder.endToolCall({ cut: true });
    } else if (this.#builder.isToolCallComplete) yield this.#builder.endToolCall();
    // The length limit may have cut the call; some servers report that only at the end of the answer.
    else return;
    yield* this.#readQueued();
  }

  *#finishHosted(index: number, item: ResponseOutputItem): Generator<StreamEvent> {
    // The server numbers its items wrongly. An index that stays in `#hosted` stops the storing of ids.
    if (this.#openItem || this.#closed.has(index)) return;
    this.#hosted.delete(index);
    this.#closed.add(index);
    yield* this.#writer.writeHosted(item);
  }

  /** Closes an item that the server did not finish. */
  *#closeUnfinished(item: OpenItem): Generator<StreamEvent> {
    if (item.kind === 'message') yield this.#builder.endText();
    else if (item.kind === 'reasoning') yield this.#writer.endReasoning(item);
    else yield this.#builder.endToolCall({ cut: this.#isCut && !this.#builder.isToolCallComplete });
    yield* this.#readQueued();
  }

  /** Reads the queued events after the open item was closed. */
  *#readQueued(): Generator<StreamEvent> {
    if (this.#openItem) this.#closed.add(this.#openItem.index);
    this.#openItem = undefined;
    for (const [index, frames] of this.#queued) {
      this.#queued.delete(index);
      for (const frame of frames) yield* this.#readItemEvent(frame);
      if (this.#openItem) return;
    }
  }

  #updateUsage(response: Response): void {
    if (response.usage) this.#builder.setUsage(toUsage(this.#model, response.usage));
  }
}

const CONTENT_FILTER_MESSAGE =
  "The provider's content filter stopped the answer. Rephrase the request or choose another model";

/** `input_tokens` includes cached tokens. Older models do not report cache writes. */
function toUsage(model: Model, wire: ResponseUsage): Usage {
  const details: Partial<ResponseUsage.InputTokensDetails> = wire.input_tokens_details ?? {};
  const cacheRead = details.cached_tokens ?? 0;
  // Without a separate price for cache writes they are charged as input.
  const cacheWrite = model.cost.cacheWrite > 0 ? (details.cache_write_tokens ?? 0) : 0;
  const input = Math.max(0, (wire.input_tokens ?? 0) - cacheRead - cacheWrite);
  return addCost(model, { input, output: wire.output_tokens ?? 0, cacheRead, cacheWrite });
}
