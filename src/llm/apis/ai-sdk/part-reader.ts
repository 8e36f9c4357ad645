// Reads the stream parts of the AI SDK and adds them to the message.
import type { Model, StreamEvent } from '../../../protocol/index.ts';
import { createMalformedFault } from '../../http/provider-fault.ts';
import type { DoneReason, MessageBuilder } from '../../message-builder.ts';
import { convertSdkError } from './convert-sdk-error.ts';
import type { FinishPart, ProviderMetadata, StreamPart } from './language-model.ts';
import type { SdkFormat, ThoughtSignature } from './sdk-format.ts';
import { assertNormalStop, isLengthLimit, toDoneReason, toUsage } from './stop-reason.ts';

type BlockKind = 'text' | 'thinking' | 'call';
type BlockPart = Extract<StreamPart, { type: `${'text' | 'reasoning' | 'tool-input'}-${string}` | 'tool-call' }>;

interface OpenBlock extends ThoughtSignature {
  readonly kind: BlockKind;
  readonly id: string;
  hasContent: boolean;
}

const NO_EVENTS: readonly StreamEvent[] = [];

export interface PartReaderOptions {
  model: Model;
  format: Pick<SdkFormat, 'readSignature' | 'hasErrorsInRawEvents'>;
  secrets: readonly string[];
}

/** Each event must be consumed before the message grows, because it refers to the message in its current state. */
export class PartReader {
  readonly #builder: MessageBuilder;
  readonly #options: PartReaderOptions;
  /** Parts of other blocks that arrived while a block is open. The message has only one open block at a time. */
  readonly #queued = new Map<string, BlockPart[]>();
  #open: OpenBlock | undefined;
  #finishPart: FinishPart | undefined;
  #raw: unknown;

  constructor(builder: MessageBuilder, options: PartReaderOptions) {
    this.#builder = builder;
    this.#options = options;
  }

  read(part: StreamPart): Iterable<StreamEvent> {
    switch (part.type) {
      case 'text-delta':
        // Fast path: most parts are text deltas.
        if (this.#open?.id === part.id && this.#open.kind === 'text') return this.#append(this.#open, part);
        return this.#readBlockPart(part, 'text', part.id);
      case 'text-start':
      case 'text-end':
        return this.#readBlockPart(part, 'text', part.id);
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#readBlockPart(part, 'thinking', part.id);
      case 'tool-input-start':
      case 'tool-call':
        // Tools executed by the provider are never requested here.
        if (part.providerExecuted) return NO_EVENTS;
        return this.#readBlockPart(part, 'call', part.type === 'tool-call' ? part.toolCallId : part.id);
      case 'tool-input-delta':
      case 'tool-input-end':
        return this.#readBlockPart(part, 'call', part.id);
      default:
        return this.#readControlPart(part);
    }
  }

  *end(): Generator<StreamEvent, DoneReason> {
    const reason = this.#finishPart?.finishReason ?? { unified: 'other', raw: undefined };
    assertNormalStop(reason);
    while (this.#open) yield* this.#closeBlock(this.#open, isLengthLimit(reason) ? 'cut' : 'ended');
    return toDoneReason(reason, this.#builder.message);
  }

  #readControlPart(part: StreamPart): readonly StreamEvent[] {
    if (part.type === 'finish') {
      this.#finishPart = part;
      this.#builder.setUsage(toUsage(this.#options.model, part.usage));
    } else if (part.type === 'raw') this.#raw = part.rawValue;
    else if (part.type === 'error') throw convertSdkError(part.error, this.#options.secrets, this.#raw);
    return NO_EVENTS;
  }

  *#readBlockPart(part: BlockPart, kind: BlockKind, id: string): Generator<StreamEvent> {
    let block = this.#open;
    if (block && (block.id !== id || block.kind !== kind)) {
      // Gemini does not end its text block before tool calls. Text after the call becomes a new block.
      if (block.kind === 'call' || kind !== 'call') return this.#enqueue(part, `${kind} ${id}`);
      yield* this.#closeBlock(block, 'ended');
      block = this.#open;
      if (block) return this.#enqueue(part, `${kind} ${id}`);
    }
    block ??= yield* this.#openBlock(part, kind, id);
    if (!block) return;
    yield* this.#append(block, part);
    if (part.type === 'tool-call') yield* this.#closeBlock(block, 'complete');
    else if (part.type === 'text-end' || part.type === 'reasoning-end') yield* this.#closeBlock(block, 'ended');
  }

  #enqueue(part: BlockPart, key: string): void {
    this.#builder.progress++;
    const parts = this.#queued.get(key);
    if (parts) parts.push(part);
    else this.#queued.set(key, [part]);
  }

  /** A text block starts with its first delta, because a start without text would leave an empty block. */
  *#openBlock(part: BlockPart, kind: BlockKind, id: string): Generator<StreamEvent, OpenBlock | undefined> {
    if (kind === 'text' && !(part.type === 'text-delta' && part.delta !== '')) return undefined;
    if (kind === 'thinking' && part.type === 'reasoning-end') return undefined;
    if (kind === 'call' && part.type !== 'tool-input-start' && part.type !== 'tool-call') return undefined;
    const block: OpenBlock = { kind, id, hasContent: false };
    if (kind === 'text') yield this.#builder.startText();
    else if (kind === 'thinking') yield this.#builder.startThinking();
    else yield this.#startCall(id, 'toolName' in part ? part.toolName : '');
    this.#open = block;
    return block;
  }

  #startCall(id: string, name: string): StreamEvent {
    if (!id || !name) throw createMalformedFault('The model sent a tool call without a name or an id');
    return this.#builder.startToolCall(id, name);
  }

  #append(block: OpenBlock, part: BlockPart): readonly StreamEvent[] {
    if (part.providerMetadata) this.#readSignature(block, part.providerMetadata);
    const delta = part.type === 'tool-call' ? getUnstreamedInput(block, part.input) : 'delta' in part ? part.delta : '';
    if (delta === '') return NO_EVENTS;
    block.hasContent = true;
    if (block.kind === 'text') return [this.#builder.appendText(delta)];
    return [block.kind === 'thinking' ? this.#builder.appendThinking(delta) : this.#builder.appendToolCall(delta)];
  }

  #readSignature(block: OpenBlock, metadata: NonNullable<ProviderMetadata>): void {
    const signature = this.#options.format.readSignature(metadata);
    if (signature) Object.assign(block, signature);
  }

  *#closeBlock(block: OpenBlock, how: 'complete' | 'ended' | 'cut'): Generator<StreamEvent> {
    const builder = this.#builder;
    if (block.kind === 'text') yield builder.endText(block.signature);
    else if (block.kind === 'thinking') yield builder.endThinking(block.signature, block.redacted);
    else {
      const isComplete = builder.isToolCallComplete;
      // The length limit may have cut the call; that is reported only at the end of the answer.
      if (how === 'complete' && !isComplete) return;
      yield builder.endToolCall({ cut: how === 'cut' && !isComplete, thoughtSignature: block.signature });
    }
    yield* this.#readQueued();
  }

  /** Reads the queued parts after the open block was closed. */
  *#readQueued(): Generator<StreamEvent> {
    this.#open = undefined;
    for (const [key, parts] of this.#queued) {
      this.#queued.delete(key);
      for (const part of parts) yield* this.read(part);
      if (this.#open) return;
    }
  }
}

/** Some providers send the arguments only once, in the final part. */
function getUnstreamedInput(block: OpenBlock, input: string): string {
  return block.hasContent || input === '{}' ? '' : input;
}
