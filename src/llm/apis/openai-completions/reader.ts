// Reads the events of an answer in the Chat Completions format and adds them to the message.
import { isRecord } from '../../../base/index.ts';
import type { ApiRequest } from '../../../contracts/index.ts';
import type { Model, StreamEvent } from '../../../protocol/index.ts';
import { collectSecrets } from '../../http/headers.ts';
import type { ServerSentEvent } from '../../http/post-for-events.ts';
import { createMalformedFault } from '../../http/provider-fault.ts';
import type { WireReader } from '../../http/wire-api.ts';
import type { DoneReason, MessageBuilder } from '../../message-builder.ts';
import type { Compat } from '../../providers/compat.ts';
import { type Delta, parseChunk } from './chunk.ts';
import { type CallDelta, ContentSequencer } from './content-sequencer.ts';
import { resolveCompat } from './resolve-compat.ts';
import { splitDetail, THINKING_FIELDS } from './signature.ts';
import { assertNormalStop, isLengthLimit, toDoneReason } from './stop-reason.ts';
import { type TextSegment, ThinkTagParser } from './think-tag-parser.ts';
import { toUsage } from './usage.ts';

export function createReader(builder: MessageBuilder, request: ApiRequest): WireReader {
  return new ResponseReader(builder, request, resolveCompat(request));
}

const NO_EVENTS: readonly StreamEvent[] = [];

class ResponseReader implements WireReader {
  readonly #builder: MessageBuilder;
  readonly #model: Model;
  readonly #sequencer: ContentSequencer;
  readonly #tagParser: ThinkTagParser | undefined;
  readonly #sendsFinishReason: boolean;
  readonly #secrets: readonly string[];
  #finishReason: string | undefined;
  #isDone = false;

  constructor(builder: MessageBuilder, request: ApiRequest, compat: Compat) {
    this.#builder = builder;
    this.#model = request.model;
    this.#secrets = collectSecrets(request);
    this.#sequencer = new ContentSequencer(builder);
    this.#tagParser = compat.thinkTags ? new ThinkTagParser() : undefined;
    this.#sendsFinishReason = compat.supportsFinishReason;
  }

  read(event: ServerSentEvent): Iterable<StreamEvent> {
    if (this.#isDone) return NO_EVENTS;
    if (event.data === '[DONE]') {
      this.#isDone = true;
      return NO_EVENTS;
    }
    const chunk = parseChunk(event, this.#secrets);
    if (chunk?.usage) this.#builder.setUsage(toUsage(this.#model, chunk.usage));
    this.#finishReason = chunk?.finish?.toLowerCase() ?? this.#finishReason;
    const delta = chunk?.delta;
    if (!delta) return NO_EVENTS;
    // Fast path without a generator: most chunks are only text.
    return isTextOnly(delta) ? this.#readText(delta.content) : this.#readDelta(delta);
  }

  get isComplete(): boolean {
    return this.#isDone;
  }

  *end(): Generator<StreamEvent, DoneReason> {
    if (this.#finishReason === undefined && !this.#isDone && this.#sendsFinishReason) {
      throw createMalformedFault("The provider's stream ended early, before the answer was complete");
    }
    assertNormalStop(this.#finishReason);
    for (const segment of this.#tagParser?.end() ?? []) yield* this.#addSegment(segment);
    yield* this.#sequencer.end(isLengthLimit(this.#finishReason));
    return toDoneReason(this.#finishReason, this.#builder.message);
  }

  *#readDelta(delta: Delta): Generator<StreamEvent> {
    yield* this.#readThinking(delta);
    if (Array.isArray(delta.content)) for (const part of delta.content) yield* this.#readContentPart(part);
    else if (typeof delta.content === 'string') yield* this.#readText(delta.content);
    // A refusal is shown as text.
    if (typeof delta.refusal === 'string') yield* this.#sequencer.addText(delta.refusal);
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) yield* this.#readCall(call);
    if (isRecord(delta.function_call)) yield* this.#readCall({ index: 0, function: delta.function_call });
  }

  #readText(text: string): Iterable<StreamEvent> {
    if (text === '') return NO_EVENTS;
    return this.#tagParser && !this.#tagParser.isPastTags
      ? this.#readTaggedText(this.#tagParser, text)
      : this.#sequencer.addText(text);
  }

  *#readTaggedText(tags: ThinkTagParser, piece: string): Generator<StreamEvent> {
    for (const segment of tags.read(piece)) yield* this.#addSegment(segment);
  }

  #addSegment({ kind, text }: TextSegment): Iterable<StreamEvent> {
    return kind === 'text' ? this.#sequencer.addText(text) : this.#sequencer.addThinking(text, 'think');
  }

  /** Mistral sends content as a list when thinking is enabled. */
  *#readContentPart(part: unknown): Generator<StreamEvent> {
    if (!isRecord(part)) return;
    if (typeof part.text === 'string') yield* this.#readText(part.text);
    const thoughts: unknown[] = Array.isArray(part.thinking) ? part.thinking : [];
    for (const thought of thoughts) {
      if (isRecord(thought) && typeof thought.text === 'string' && thought.text !== '')
        yield* this.#sequencer.addThinking(thought.text, 'content');
    }
  }

  /** If a provider sends the same thinking twice, the form that can be sent back is used. */
  *#readThinking(delta: Delta): Generator<StreamEvent> {
    const rawDetails: unknown[] = Array.isArray(delta.reasoning_details) ? delta.reasoning_details : [];
    const details = rawDetails.map(splitDetail).filter((detail) => detail !== undefined);
    const field = THINKING_FIELDS.find((name) => typeof delta[name] === 'string' && delta[name] !== '');
    const hasText = details.some(({ text }) => text !== '');
    if (field && !hasText) yield* this.#sequencer.addThinking(delta[field] as string, field);
    for (const { text, detail } of details) yield* this.#sequencer.addDetail(text, detail);
  }

  #readCall(call: unknown): Iterable<StreamEvent> {
    return isRecord(call) ? this.#sequencer.addCall(toCallDelta(call)) : NO_EVENTS;
  }
}

function isTextOnly(delta: Delta): delta is Delta & { content: string } {
  return (
    typeof delta.content === 'string' &&
    delta.tool_calls == null &&
    delta.reasoning_content == null &&
    delta.reasoning == null &&
    delta.reasoning_details == null &&
    delta.reasoning_text == null &&
    delta.refusal == null &&
    delta.function_call == null
  );
}

/** Some servers send arguments as an object in one piece. */
function toCallDelta(call: Record<string, unknown>): CallDelta {
  const { name, arguments: args } = isRecord(call.function) ? call.function : {};
  return {
    index: typeof call.index === 'number' ? call.index : undefined,
    id: typeof call.id === 'string' ? call.id : '',
    name: typeof name === 'string' ? name : '',
    arguments: typeof args === 'string' ? args : isRecord(args) ? JSON.stringify(args) : '',
    // Gemini's thought signature of a call.
    extra: isRecord(call.extra_content) ? JSON.stringify(call.extra_content) : undefined,
  };
}
