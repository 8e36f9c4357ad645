// First floor, llm: follows one answer in the Messages format and grows our message by it. Knows no request but its model.
import type {
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawContentBlockDeltaEvent,
  RawContentBlockStartEvent,
  RawContentBlockStopEvent,
  RawMessageDeltaEvent,
  Usage as WireUsage,
} from '@anthropic-ai/sdk/resources/messages';
import { isRecord } from '../../../base/index.ts';
import type { ApiRequest } from '../../../contracts/index.ts';
import type { Model, StreamEvent } from '../../../protocol/index.ts';
import { priced } from '../../cost.ts';
import { malformed } from '../../http/failure.ts';
import { secretsOf } from '../../http/headers.ts';
import type { ServerEvent } from '../../http/post.ts';
import type { WireReader } from '../../http/wire.ts';
import type { DoneReason, MessageBuilder } from '../../message-builder.ts';
import { failureIn, readFrame } from './frame.ts';
import { doneReason, isLength, refuseEmptyEnds } from './stop.ts';

export function createReader(builder: MessageBuilder, request: ApiRequest): WireReader {
  return new AnswerReader(builder, request.model, secretsOf(request));
}

type BlockFrame = RawContentBlockStartEvent | RawContentBlockDeltaEvent | RawContentBlockStopEvent;

interface OpenBlock {
  readonly index: number;
  readonly kind: 'text' | 'thinking' | 'redacted' | 'call' | 'ignored';
  signature: string;
  /** Arguments that came with the start, as some servers send them. */
  readonly input?: unknown;
  grown: boolean;
}

const NOTHING: readonly StreamEvent[] = [];

class AnswerReader implements WireReader {
  readonly #builder: MessageBuilder;
  readonly #model: Model;
  readonly #secrets: readonly string[];
  readonly #tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  /** What came for other blocks while one was open. The format forbids it; our message could not show it. */
  readonly #waiting = new Map<number, BlockFrame[]>();
  #open: OpenBlock | undefined;
  #stop: RawMessageDeltaEvent.Delta | undefined;
  #ended = false;

  constructor(builder: MessageBuilder, model: Model, secrets: readonly string[]) {
    this.#builder = builder;
    this.#model = model;
    this.#secrets = secrets;
  }

  read({ data }: ServerEvent): Iterable<StreamEvent> {
    const frame = readFrame(data, this.#secrets);
    switch (frame?.type) {
      case 'content_block_delta':
        // Nearly every event is one of these, so they go without a generator.
        return this.#open?.index === frame.index ? this.#grow(this.#open, frame.delta) : this.#follow(frame);
      case 'content_block_start':
      case 'content_block_stop':
        return this.#follow(frame);
      case 'message_start':
        this.#count(frame.message.usage);
        return NOTHING;
      case 'message_delta':
        this.#count(frame.usage);
        if (frame.delta.stop_reason) this.#stop = frame.delta;
        return NOTHING;
      case 'message_stop':
        this.#ended = true;
        return NOTHING;
      case 'error':
        throw failureIn(frame, data, this.#secrets);
      default:
        return NOTHING;
    }
  }

  get isOver(): boolean {
    return this.#ended;
  }

  *end(): Generator<StreamEvent, DoneReason> {
    if (!this.#ended) throw malformed("The provider's stream ended early, before the answer was complete");
    const { message } = this.#builder;
    refuseEmptyEnds(this.#stop, message);
    const cut = isLength(this.#stop);
    while (this.#open) {
      if (cut && this.#open.kind === 'call' && !this.#builder.isToolCallWhole) {
        yield this.#builder.endToolCall({ cut });
        yield* this.#next();
      } else yield* this.#close(this.#open, true);
    }
    return doneReason(this.#stop, message);
  }

  *#follow(frame: BlockFrame): Generator<StreamEvent> {
    const open = this.#open;
    if (open && open.index !== frame.index) {
      this.#builder.progress++;
      const frames = this.#waiting.get(frame.index);
      if (frames) frames.push(frame);
      else this.#waiting.set(frame.index, [frame]);
    } else if (frame.type === 'content_block_start') {
      if (!open) yield* this.#begin(frame);
    } else if (open) {
      if (frame.type === 'content_block_stop') yield* this.#close(open, false);
      else yield* this.#grow(open, frame.delta);
    }
  }

  *#begin({ index, content_block: block }: RawContentBlockStartEvent): Generator<StreamEvent> {
    const builder = this.#builder;
    const as = (kind: OpenBlock['kind'], signature = '', input?: unknown) => {
      this.#open = { index, kind, signature, input, grown: false };
    };
    switch (block.type) {
      case 'text':
        as('text');
        yield builder.startText();
        if (block.text) yield builder.appendText(block.text);
        return;
      case 'thinking':
        as('thinking', block.signature);
        yield builder.startThinking();
        if (block.thinking) yield builder.appendThinking(block.thinking);
        return;
      case 'redacted_thinking':
        as('redacted', block.data);
        yield builder.startThinking();
        return;
      case 'tool_use':
        as('call', '', block.input);
        yield builder.startToolCall(block.id, block.name);
        return;
      default:
        // What the provider's own tools did: never asked for here.
        as('ignored');
    }
  }

  #grow(open: OpenBlock, delta: RawContentBlockDelta): readonly StreamEvent[] {
    const { kind } = open;
    if (delta.type === 'text_delta' && kind === 'text' && delta.text) return [this.#builder.appendText(delta.text)];
    if (delta.type === 'thinking_delta' && kind === 'thinking' && delta.thinking)
      return [this.#builder.appendThinking(delta.thinking)];
    if (delta.type === 'input_json_delta' && kind === 'call' && delta.partial_json) {
      open.grown = true;
      return [this.#builder.appendToolCall(delta.partial_json)];
    }
    if (delta.type === 'signature_delta' && kind === 'thinking') {
      open.signature += delta.signature ?? '';
      this.#builder.progress++;
    }
    return NOTHING;
  }

  *#close(open: OpenBlock, last: boolean): Generator<StreamEvent> {
    const builder = this.#builder;
    if (open.kind === 'text') yield builder.endText();
    if (open.kind === 'thinking') yield builder.endThinking(open.signature || undefined);
    if (open.kind === 'redacted') yield builder.endThinking(open.signature, true);
    if (open.kind === 'call') {
      if (!open.grown && isRecord(open.input) && Object.keys(open.input).length > 0) {
        open.grown = true;
        yield builder.appendToolCall(JSON.stringify(open.input));
      }
      // The length limit may have cut it, which is said only at the end of the answer.
      if (!last && !builder.isToolCallWhole) return;
      yield builder.endToolCall();
    }
    yield* this.#next();
  }

  /** The open block is over; what waited behind it takes its turn. */
  *#next(): Generator<StreamEvent> {
    this.#open = undefined;
    if (this.#waiting.size === 0) return;
    const index = Math.min(...this.#waiting.keys());
    const frames = this.#waiting.get(index) ?? [];
    this.#waiting.delete(index);
    for (const frame of frames) yield* this.#follow(frame);
  }

  /** Counts are cumulative: the latest counts. Some servers leave input counts out, or send 0, after the first event. */
  #count(usage: WireUsage | MessageDeltaUsage | undefined): void {
    const tokens = this.#tokens;
    tokens.output = usage?.output_tokens ?? tokens.output;
    tokens.input = usage?.input_tokens || tokens.input;
    tokens.cacheRead = usage?.cache_read_input_tokens || tokens.cacheRead;
    tokens.cacheWrite = usage?.cache_creation_input_tokens || tokens.cacheWrite;
    this.#builder.setUsage(priced(this.#model, tokens));
  }
}
