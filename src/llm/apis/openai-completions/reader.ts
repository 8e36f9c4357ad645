// First floor, llm: follows one answer in the Chat Completions format and grows our message by it. Knows no request but its model.
import { isRecord } from '../../../base/index.ts';
import type { ApiRequest } from '../../../contracts/index.ts';
import type { Model, StreamEvent } from '../../../protocol/index.ts';
import { malformed } from '../../http/failure.ts';
import { secretsOf } from '../../http/headers.ts';
import type { ServerEvent } from '../../http/post.ts';
import type { WireReader } from '../../http/wire.ts';
import type { DoneReason, MessageBuilder } from '../../message-builder.ts';
import type { Compat } from '../../providers/compat.ts';
import { type Delta, readChunk } from './chunk.ts';
import { compatOf } from './compat.ts';
import { AnswerParts, type CallPiece } from './parts.ts';
import { FIELDS, splitDetail } from './signature.ts';
import { doneReason, isLength, refuseBreaks } from './stop.ts';
import { ThinkTags, type Told } from './think-tags.ts';
import { usageOf } from './usage.ts';

export function createReader(builder: MessageBuilder, request: ApiRequest): WireReader {
  return new AnswerReader(builder, request, compatOf(request));
}

const NOTHING: readonly StreamEvent[] = [];

class AnswerReader implements WireReader {
  readonly #builder: MessageBuilder;
  readonly #model: Model;
  readonly #parts: AnswerParts;
  readonly #tags: ThinkTags | undefined;
  readonly #saysWhy: boolean;
  readonly #secrets: readonly string[];
  #finish: string | undefined;
  #over = false;

  constructor(builder: MessageBuilder, request: ApiRequest, compat: Compat) {
    this.#builder = builder;
    this.#model = request.model;
    this.#secrets = secretsOf(request);
    this.#parts = new AnswerParts(builder);
    this.#tags = compat.thinkTags ? new ThinkTags() : undefined;
    this.#saysWhy = compat.supportsFinishReason;
  }

  read(event: ServerEvent): Iterable<StreamEvent> {
    if (this.#over) return NOTHING;
    if (event.data === '[DONE]') {
      this.#over = true;
      return NOTHING;
    }
    const chunk = readChunk(event, this.#secrets);
    if (chunk?.usage) this.#builder.setUsage(usageOf(this.#model, chunk.usage));
    this.#finish = chunk?.finish?.toLowerCase() ?? this.#finish;
    const delta = chunk?.delta;
    if (!delta) return NOTHING;
    // Nearly every chunk is only a piece of text, so those go without a generator.
    return isPlain(delta) ? this.#said(delta.content) : this.#follow(delta);
  }

  get isOver(): boolean {
    return this.#over;
  }

  *end(): Generator<StreamEvent, DoneReason> {
    if (this.#finish === undefined && !this.#over && this.#saysWhy) {
      throw malformed("The provider's stream ended early, before the answer was complete");
    }
    refuseBreaks(this.#finish);
    for (const told of this.#tags?.end() ?? []) yield* this.#tell(told);
    yield* this.#parts.end(isLength(this.#finish));
    return doneReason(this.#finish, this.#builder.message);
  }

  *#follow(delta: Delta): Generator<StreamEvent> {
    yield* this.#thought(delta);
    if (Array.isArray(delta.content)) for (const part of delta.content) yield* this.#part(part);
    else if (typeof delta.content === 'string') yield* this.#said(delta.content);
    // A refusal is an answer in words.
    if (typeof delta.refusal === 'string') yield* this.#parts.text(delta.refusal);
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) yield* this.#called(call);
    if (isRecord(delta.function_call)) yield* this.#called({ index: 0, function: delta.function_call });
  }

  #said(text: string): Iterable<StreamEvent> {
    if (text === '') return NOTHING;
    return this.#tags && !this.#tags.isPlain ? this.#tagged(this.#tags, text) : this.#parts.text(text);
  }

  *#tagged(tags: ThinkTags, piece: string): Generator<StreamEvent> {
    for (const told of tags.read(piece)) yield* this.#tell(told);
  }

  #tell({ kind, text }: Told): Iterable<StreamEvent> {
    return kind === 'text' ? this.#parts.text(text) : this.#parts.thinking(text, 'think');
  }

  /** Mistral gives content as a list once it thinks. */
  *#part(part: unknown): Generator<StreamEvent> {
    if (!isRecord(part)) return;
    if (typeof part.text === 'string') yield* this.#said(part.text);
    const thoughts: unknown[] = Array.isArray(part.thinking) ? part.thinking : [];
    for (const thought of thoughts) {
      if (isRecord(thought) && typeof thought.text === 'string' && thought.text !== '')
        yield* this.#parts.thinking(thought.text, 'content');
    }
  }

  /** Where a host gives the same thinking twice, the form that can be sent back counts. */
  *#thought(delta: Delta): Generator<StreamEvent> {
    const given: unknown[] = Array.isArray(delta.reasoning_details) ? delta.reasoning_details : [];
    const details = given.map(splitDetail).filter((detail) => detail !== undefined);
    const field = FIELDS.find((name) => typeof delta[name] === 'string' && delta[name] !== '');
    const shown = details.some(({ text }) => text !== '');
    if (field && !shown) yield* this.#parts.thinking(delta[field] as string, field);
    for (const { text, detail } of details) yield* this.#parts.detail(text, detail);
  }

  #called(given: unknown): Iterable<StreamEvent> {
    return isRecord(given) ? this.#parts.call(callPiece(given)) : NOTHING;
  }
}

function isPlain(delta: Delta): delta is Delta & { content: string } {
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

/** Some servers give arguments as an object, and all of them at once. */
function callPiece(given: Record<string, unknown>): CallPiece {
  const { name, arguments: args } = isRecord(given.function) ? given.function : {};
  return {
    index: typeof given.index === 'number' ? given.index : undefined,
    id: typeof given.id === 'string' ? given.id : '',
    name: typeof name === 'string' ? name : '',
    arguments: typeof args === 'string' ? args : isRecord(args) ? JSON.stringify(args) : '',
    // Gemini's seal on a call, where Gemini is reached this way.
    extra: isRecord(given.extra_content) ? JSON.stringify(given.extra_content) : undefined,
  };
}
