// First floor, llm: follows one answer in the Responses format and grows our message by it. Knows no request but its model.
import type {
  Response,
  ResponseFunctionToolCall,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import type { ApiRequest } from '../../../contracts/index.ts';
import type { Model, StreamEvent } from '../../../protocol/index.ts';
import { malformed, ProviderFault } from '../../http/failure.ts';
import { secretsOf } from '../../http/headers.ts';
import type { ServerEvent } from '../../http/post.ts';
import type { WireReader } from '../../http/wire.ts';
import type { DoneReason, MessageBuilder } from '../../message-builder.ts';
import { type Frame, failureIn, readFrame } from './frame.ts';
import { hostedSignature, joinCallId, reasoningSignature, textSignature } from './signature.ts';
import { usageOf } from './usage.ts';

export function createReader(builder: MessageBuilder, request: ApiRequest): WireReader {
  return new AnswerReader(builder, request.model, secretsOf(request));
}

type ItemFrame = Extract<Frame, { output_index: number }>;
type KnownItem = ResponseOutputMessage | ResponseReasoningItem | ResponseFunctionToolCall;

interface OpenItem {
  readonly index: number;
  readonly kind: KnownItem['type'];
  grown: string;
  /** Which part of the item grew last. */
  part: number;
}

const NOTHING: readonly StreamEvent[] = [];
const PARAGRAPH = '\n\n';
/** A refusal is the model's answer in the model's words: it is shown as text, and the answer ends like any other. */
const TEXT = 0;
const REFUSAL = 1;

class AnswerReader implements WireReader {
  readonly #builder: MessageBuilder;
  readonly #model: Model;
  readonly #secrets: readonly string[];
  /** What came for other items while one was open: our message has one growing block at a time. */
  readonly #waiting = new Map<number, ItemFrame[]>();
  readonly #closed = new Set<number>();
  /** Items of the provider's own tools that were announced and not finished. */
  readonly #hosted = new Set<number>();
  #open: OpenItem | undefined;
  /** Ids are kept only while everything before them can be sent back: reasoning and what follows it stand or fall together. */
  #keepsIds = true;
  #hasReasoned = false;
  #last: Response | undefined;
  #cut = false;

  constructor(builder: MessageBuilder, model: Model, secrets: readonly string[]) {
    this.#builder = builder;
    this.#model = model;
    this.#secrets = secrets;
  }

  read({ data }: ServerEvent): Iterable<StreamEvent> {
    const frame = readFrame(data, this.#secrets);
    if (!frame || this.#last) return NOTHING;
    if ('output_index' in frame) return this.#follow(frame);
    switch (frame.type) {
      case 'response.completed':
      case 'response.incomplete':
        this.#last = frame.response;
        this.#cut ||= frame.type === 'response.incomplete' || frame.response.status === 'incomplete';
        this.#count(frame.response);
        return NOTHING;
      case 'response.failed':
        this.#count(frame.response);
        throw failureIn(frame.response.error ?? {}, this.#secrets);
      case 'error':
        throw failureIn(frame.error ?? { code: frame.code, message: frame.message }, this.#secrets);
      default:
        return NOTHING;
    }
  }

  get isOver(): boolean {
    return this.#last !== undefined;
  }

  *end(): Generator<StreamEvent, DoneReason> {
    if (!this.#last) throw malformed("The provider's stream ended early, before the answer was complete");
    const { incomplete_details: why, output } = this.#last;
    const { content } = this.#builder.message;
    if (why?.reason === 'content_filter') throw new ProviderFault({ kind: 'filter' }, FILTERED);
    while (this.#open) yield* this.#abandon(this.#open);
    // Gateways that only pretend to stream send everything at once, at the end.
    if (content.length === 0) {
      for (const [index, item] of (output ?? []).entries()) yield* this.#finish(index, item);
      if (this.#open) yield* this.#abandon(this.#open);
    }
    if (this.#cut) return 'length';
    return content.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop';
  }

  #follow(frame: ItemFrame): Iterable<StreamEvent> {
    if (this.#open && this.#open.index !== frame.output_index) return this.#hold(frame);
    switch (frame.type) {
      case 'response.output_text.delta':
        return this.#grow('message', TEXT, frame.delta);
      case 'response.refusal.delta':
        return this.#grow('message', REFUSAL, frame.delta);
      case 'response.reasoning_summary_text.delta':
        return this.#grow('reasoning', frame.summary_index, frame.delta);
      case 'response.reasoning_text.delta':
        return this.#grow('reasoning', -1 - frame.content_index, frame.delta);
      case 'response.function_call_arguments.delta':
        return this.#grow('function_call', 0, frame.delta);
      case 'response.function_call_arguments.done':
        return this.#open?.kind === 'function_call' ? this.#fill(frame.arguments) : NOTHING;
      case 'response.output_item.added':
        return this.#begin(frame.output_index, frame.item);
      case 'response.output_item.done':
        return this.#finish(frame.output_index, frame.item);
      default:
        return NOTHING;
    }
  }

  #hold(frame: ItemFrame): readonly StreamEvent[] {
    this.#builder.progress++;
    const frames = this.#waiting.get(frame.output_index);
    if (frames) frames.push(frame);
    else this.#waiting.set(frame.output_index, [frame]);
    return NOTHING;
  }

  *#begin(index: number, item: ResponseOutputItem): Generator<StreamEvent> {
    if (this.#open) yield* this.#abandon(this.#open);
    if (!isKnown(item)) {
      this.#hosted.add(index);
      return;
    }
    // An item after one that cannot be sent back has no id here.
    if (this.#hasReasoned && this.#hosted.size > 0) this.#keepsIds = false;
    this.#open = { index, kind: item.type, grown: '', part: 0 };
    if (item.type === 'message') yield this.#builder.startText();
    else if (item.type === 'reasoning') yield this.#builder.startThinking();
    else yield this.#startCall(item);
  }

  #startCall(item: ResponseFunctionToolCall): StreamEvent {
    const callId = item.call_id || item.id;
    if (!callId || !item.name) throw malformed('The model called a tool without saying which, or under which id');
    return this.#builder.startToolCall(joinCallId(callId, this.#keepsIds ? item : undefined), item.name);
  }

  #grow(kind: OpenItem['kind'], part: number, delta: string): readonly StreamEvent[] {
    const open = this.#open;
    if (open?.kind !== kind || typeof delta !== 'string' || delta === '') return NOTHING;
    const apart = part !== open.part && open.grown !== '';
    open.part = part;
    return [this.#append(open, apart ? PARAGRAPH + delta : delta)];
  }

  #append(open: OpenItem, piece: string): StreamEvent {
    open.grown += piece;
    if (open.kind === 'message') return this.#builder.appendText(piece);
    if (open.kind === 'reasoning') return this.#builder.appendThinking(piece);
    return this.#builder.appendToolCall(piece);
  }

  /** The finished item is the truth, also where it says something else than what was streamed. */
  *#finish(index: number, item: ResponseOutputItem): Generator<StreamEvent> {
    if (!isKnown(item)) return yield* this.#finishHosted(index, item);
    if (!this.#open && !this.#closed.has(index)) yield* this.#begin(index, item);
    const open = this.#open;
    if (open?.kind !== item.type) return;
    yield* this.#fill(wholeOf(item));
    if (item.type === 'message') yield this.#endMessage(open, item);
    else if (item.type === 'reasoning') yield this.#endReasoning(open, item);
    else if (item.status === 'incomplete') {
      this.#cut = true;
      yield this.#builder.endToolCall({ cut: true });
    } else if (this.#builder.isToolCallWhole) yield this.#builder.endToolCall();
    // The length limit may have cut it, which some say only at the end of the answer.
    else return;
    yield* this.#next();
  }

  /** Gateways that do not repeat what they streamed leave it empty. */
  #fill(whole: string): readonly StreamEvent[] {
    const open = this.#open;
    if (!open || whole === '' || whole === open.grown) return NOTHING;
    if (whole.startsWith(open.grown)) return [this.#append(open, whole.slice(open.grown.length))];
    // Reasoning may be streamed both in full and as a summary; the item then has one of them.
    if (open.kind === 'reasoning' && open.grown.includes(whole)) return NOTHING;
    open.grown = whole;
    this.#builder.replace(whole);
    return NOTHING;
  }

  /**
   * What the provider's own tools did is nothing to show. After reasoning it must be sent back, because the provider
   * refuses reasoning without the item that followed it.
   */
  *#finishHosted(index: number, item: ResponseOutputItem): Generator<StreamEvent> {
    // A server that numbers its items wrongly: what stays in `#hosted` ends the ids.
    if (this.#open || this.#closed.has(index)) return;
    this.#hosted.delete(index);
    this.#closed.add(index);
    if (!this.#hasReasoned) return;
    const signature = hostedSignature(item);
    if (signature === undefined) this.#keepsIds = false;
    if (!this.#keepsIds) return;
    yield this.#builder.startThinking();
    yield this.#builder.endThinking(signature, true);
  }

  #endMessage({ grown }: OpenItem, item: ResponseOutputMessage): StreamEvent {
    // A message without words is not kept in a history.
    if (grown.trim() === '') this.#keepsIds = false;
    return this.#builder.endText(this.#keepsIds ? textSignature(item) : undefined);
  }

  #endReasoning({ grown }: OpenItem, item?: ResponseOutputItem): StreamEvent {
    const signature = item && reasoningSignature(item);
    if (signature === undefined) this.#keepsIds = false;
    this.#hasReasoned = true;
    return this.#builder.endThinking(signature, signature !== undefined && grown === '');
  }

  /** Ends an item of which nobody said that it is finished. */
  *#abandon(open: OpenItem): Generator<StreamEvent> {
    if (open.kind === 'message') yield this.#builder.endText();
    else if (open.kind === 'reasoning') yield this.#endReasoning(open);
    else yield this.#builder.endToolCall({ cut: this.#cut && !this.#builder.isToolCallWhole });
    yield* this.#next();
  }

  /** The open item is over; what waited behind it takes its turn. */
  *#next(): Generator<StreamEvent> {
    if (this.#open) this.#closed.add(this.#open.index);
    this.#open = undefined;
    for (const [index, frames] of this.#waiting) {
      this.#waiting.delete(index);
      for (const frame of frames) yield* this.#follow(frame);
      if (this.#open) return;
    }
  }

  #count(response: Response): void {
    if (response.usage) this.#builder.setUsage(usageOf(this.#model, response.usage));
  }
}

const FILTERED = "The provider's content filter stopped the answer. Rephrase the request or choose another model";

function isKnown(item: ResponseOutputItem): item is KnownItem {
  return item.type === 'message' || item.type === 'reasoning' || item.type === 'function_call';
}

function wholeOf(item: KnownItem): string {
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
