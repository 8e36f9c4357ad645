// Reads the events of an answer in the Anthropic Messages format and adds them to the message.
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
import { addCost } from '../../cost.ts';
import { collectSecrets } from '../../http/headers.ts';
import type { ServerSentEvent } from '../../http/post-for-events.ts';
import { createMalformedFault } from '../../http/provider-fault.ts';
import type { WireReader } from '../../http/wire-api.ts';
import type { DoneReason, MessageBuilder } from '../../message-builder.ts';
import { createErrorFrameFault, parseFrame } from './frame.ts';
import { assertNormalStop, isLengthLimit, toDoneReason } from './stop-reason.ts';

export function createReader(builder: MessageBuilder, request: ApiRequest): WireReader {
  return new ResponseReader(builder, request.model, collectSecrets(request));
}

type BlockFrame = RawContentBlockStartEvent | RawContentBlockDeltaEvent | RawContentBlockStopEvent;

interface OpenBlock {
  readonly index: number;
  readonly kind: 'text' | 'thinking' | 'redacted' | 'call' | 'ignored';
  signature: string;
  /** Arguments in the start event, as some servers send them. */
  readonly input?: unknown;
  hasContent: boolean;
}

const NO_EVENTS: readonly StreamEvent[] = [];

class ResponseReader implements WireReader {
  readonly #builder: MessageBuilder;
  readonly #model: Model;
  readonly #secrets: readonly string[];
  readonly #tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  /** Events of other blocks that arrived while a block is open. The format forbids this, but some servers do it. */
  readonly #queued = new Map<number, BlockFrame[]>();
  #openBlock: OpenBlock | undefined;
  #stopDelta: RawMessageDeltaEvent.Delta | undefined;
  #hasEnded = false;

  constructor(builder: MessageBuilder, model: Model, secrets: readonly string[]) {
    this.#builder = builder;
    this.#model = model;
    this.#secrets = secrets;
  }

  read({ data }: ServerSentEvent): Iterable<StreamEvent> {
    const frame = parseFrame(data, this.#secrets);
    switch (frame?.type) {
      case 'content_block_delta':
        // Fast path without a generator: most events are deltas.
        return this.#openBlock?.index === frame.index
          ? this.#append(this.#openBlock, frame.delta)
          : this.#readBlockEvent(frame);
      case 'content_block_start':
      case 'content_block_stop':
        return this.#readBlockEvent(frame);
      case 'message_start':
        this.#updateUsage(frame.message.usage);
        return NO_EVENTS;
      case 'message_delta':
        this.#updateUsage(frame.usage);
        if (frame.delta.stop_reason) this.#stopDelta = frame.delta;
        return NO_EVENTS;
      case 'message_stop':
        this.#hasEnded = true;
        return NO_EVENTS;
      case 'error':
        throw createErrorFrameFault(frame, data, this.#secrets);
      default:
        return NO_EVENTS;
    }
  }

  get isComplete(): boolean {
    return this.#hasEnded;
  }

  *end(): Generator<StreamEvent, DoneReason> {
    if (!this.#hasEnded)
      throw createMalformedFault("The provider's stream ended early, before the answer was complete");
    const { message } = this.#builder;
    assertNormalStop(this.#stopDelta, message);
    const cut = isLengthLimit(this.#stopDelta);
    while (this.#openBlock) {
      if (cut && this.#openBlock.kind === 'call' && !this.#builder.isToolCallComplete) {
        yield this.#builder.endToolCall({ cut });
        yield* this.#readQueued();
      } else yield* this.#closeBlock(this.#openBlock, true);
    }
    return toDoneReason(this.#stopDelta, message);
  }

  *#readBlockEvent(frame: BlockFrame): Generator<StreamEvent> {
    const block = this.#openBlock;
    if (block && block.index !== frame.index) {
      this.#builder.progress++;
      const frames = this.#queued.get(frame.index);
      if (frames) frames.push(frame);
      else this.#queued.set(frame.index, [frame]);
    } else if (frame.type === 'content_block_start') {
      if (!block) yield* this.#startBlock(frame);
    } else if (block) {
      if (frame.type === 'content_block_stop') yield* this.#closeBlock(block, false);
      else yield* this.#append(block, frame.delta);
    }
  }

  *#startBlock({ index, content_block: block }: RawContentBlockStartEvent): Generator<StreamEvent> {
    const builder = this.#builder;
    const setOpenBlock = (kind: OpenBlock['kind'], signature = '', input?: unknown) => {
      this.#openBlock = { index, kind, signature, input, hasContent: false };
    };
    switch (block.type) {
      case 'text':
        setOpenBlock('text');
        yield builder.startText();
        if (block.text) yield builder.appendText(block.text);
        return;
      case 'thinking':
        setOpenBlock('thinking', block.signature);
        yield builder.startThinking();
        if (block.thinking) yield builder.appendThinking(block.thinking);
        return;
      case 'redacted_thinking':
        setOpenBlock('redacted', block.data);
        yield builder.startThinking();
        return;
      case 'tool_use':
        setOpenBlock('call', '', block.input);
        yield builder.startToolCall(block.id, block.name);
        return;
      default:
        // Tools executed by the provider are never requested here.
        setOpenBlock('ignored');
    }
  }

  #append(block: OpenBlock, delta: RawContentBlockDelta): readonly StreamEvent[] {
    const { kind } = block;
    if (delta.type === 'text_delta' && kind === 'text' && delta.text) return [this.#builder.appendText(delta.text)];
    if (delta.type === 'thinking_delta' && kind === 'thinking' && delta.thinking)
      return [this.#builder.appendThinking(delta.thinking)];
    if (delta.type === 'input_json_delta' && kind === 'call' && delta.partial_json) {
      block.hasContent = true;
      return [this.#builder.appendToolCall(delta.partial_json)];
    }
    if (delta.type === 'signature_delta' && kind === 'thinking') {
      block.signature += delta.signature ?? '';
      this.#builder.progress++;
    }
    return NO_EVENTS;
  }

  *#closeBlock(block: OpenBlock, isFinal: boolean): Generator<StreamEvent> {
    const builder = this.#builder;
    if (block.kind === 'text') yield builder.endText();
    if (block.kind === 'thinking') yield builder.endThinking(block.signature || undefined);
    if (block.kind === 'redacted') yield builder.endThinking(block.signature, true);
    if (block.kind === 'call') {
      if (!block.hasContent && isRecord(block.input) && Object.keys(block.input).length > 0) {
        block.hasContent = true;
        yield builder.appendToolCall(JSON.stringify(block.input));
      }
      // The length limit may have cut the call; that is reported only at the end of the answer.
      if (!isFinal && !builder.isToolCallComplete) return;
      yield builder.endToolCall();
    }
    yield* this.#readQueued();
  }

  /** Reads the queued events after the open block was closed. */
  *#readQueued(): Generator<StreamEvent> {
    this.#openBlock = undefined;
    if (this.#queued.size === 0) return;
    const index = Math.min(...this.#queued.keys());
    const frames = this.#queued.get(index) ?? [];
    this.#queued.delete(index);
    for (const frame of frames) yield* this.#readBlockEvent(frame);
  }

  /** Counts are cumulative; the latest value wins. Some servers omit input counts or send 0 after the first event. */
  #updateUsage(usage: WireUsage | MessageDeltaUsage | undefined): void {
    const tokens = this.#tokens;
    tokens.output = usage?.output_tokens ?? tokens.output;
    tokens.input = usage?.input_tokens || tokens.input;
    tokens.cacheRead = usage?.cache_read_input_tokens || tokens.cacheRead;
    tokens.cacheWrite = usage?.cache_creation_input_tokens || tokens.cacheWrite;
    this.#builder.setUsage(addCost(this.#model, tokens));
  }
}
