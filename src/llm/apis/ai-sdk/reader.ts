// First floor, llm: follows one answer in the AI SDK's stream parts and grows our message by it. Knows no provider's wire.
import type { Model, StreamEvent } from '../../../protocol/index.ts';
import { malformed } from '../../http/failure.ts';
import type { DoneReason, MessageBuilder } from '../../message-builder.ts';
import { failureOf } from './failure.ts';
import type { SdkFormat, Seal } from './format.ts';
import type { Finish, Metadata, StreamPart } from './language-model.ts';
import { doneReason, isLength, refuseBreaks, usageOf } from './stop.ts';

type Kind = 'text' | 'thinking' | 'call';
type BlockPart = Extract<StreamPart, { type: `${'text' | 'reasoning' | 'tool-input'}-${string}` | 'tool-call' }>;

interface OpenBlock extends Seal {
  readonly kind: Kind;
  readonly id: string;
  grown: boolean;
}

const NOTHING: readonly StreamEvent[] = [];

export interface PartReaderOptions {
  model: Model;
  format: Pick<SdkFormat, 'sealIn' | 'errorsAreRaw'>;
  secrets: readonly string[];
}

/** Each event must be taken before the message grows any further, because it carries the message as it stands. */
export class PartReader {
  readonly #builder: MessageBuilder;
  readonly #options: PartReaderOptions;
  /** What came for other blocks while one was open: our message has one growing block at a time. */
  readonly #waiting = new Map<string, BlockPart[]>();
  #open: OpenBlock | undefined;
  #finish: Finish | undefined;
  #raw: unknown;

  constructor(builder: MessageBuilder, options: PartReaderOptions) {
    this.#builder = builder;
    this.#options = options;
  }

  read(part: StreamPart): Iterable<StreamEvent> {
    switch (part.type) {
      case 'text-delta':
        // Nearly every part is one of these.
        if (this.#open?.id === part.id && this.#open.kind === 'text') return this.#grow(this.#open, part);
        return this.#follow(part, 'text', part.id);
      case 'text-start':
      case 'text-end':
        return this.#follow(part, 'text', part.id);
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#follow(part, 'thinking', part.id);
      case 'tool-input-start':
      case 'tool-call':
        // What the provider's own tools did: never asked for here.
        if (part.providerExecuted) return NOTHING;
        return this.#follow(part, 'call', part.type === 'tool-call' ? part.toolCallId : part.id);
      case 'tool-input-delta':
      case 'tool-input-end':
        return this.#follow(part, 'call', part.id);
      default:
        return this.#listen(part);
    }
  }

  *end(): Generator<StreamEvent, DoneReason> {
    const reason = this.#finish?.finishReason ?? { unified: 'other', raw: undefined };
    refuseBreaks(reason);
    while (this.#open) yield* this.#close(this.#open, isLength(reason) ? 'cut' : 'over');
    return doneReason(reason, this.#builder.message);
  }

  #listen(part: StreamPart): readonly StreamEvent[] {
    if (part.type === 'finish') {
      this.#finish = part;
      this.#builder.setUsage(usageOf(this.#options.model, part.usage));
    } else if (part.type === 'raw') this.#raw = part.rawValue;
    else if (part.type === 'error') throw failureOf(part.error, this.#options.secrets, this.#raw);
    return NOTHING;
  }

  *#follow(part: BlockPart, kind: Kind, id: string): Generator<StreamEvent> {
    let open = this.#open;
    if (open && (open.id !== id || open.kind !== kind)) {
      // Gemini leaves its text open while it calls tools: the text that may still come is another block.
      if (open.kind === 'call' || kind !== 'call') return this.#hold(part, `${kind} ${id}`);
      yield* this.#close(open, 'over');
      open = this.#open;
      if (open) return this.#hold(part, `${kind} ${id}`);
    }
    open ??= yield* this.#begin(part, kind, id);
    if (!open) return;
    yield* this.#grow(open, part);
    if (part.type === 'tool-call') yield* this.#close(open, 'whole');
    else if (part.type === 'text-end' || part.type === 'reasoning-end') yield* this.#close(open, 'over');
  }

  #hold(part: BlockPart, key: string): void {
    this.#builder.progress++;
    const parts = this.#waiting.get(key);
    if (parts) parts.push(part);
    else this.#waiting.set(key, [part]);
  }

  /** Text begins with its first letter: an announcement that nothing follows would leave an empty block. */
  *#begin(part: BlockPart, kind: Kind, id: string): Generator<StreamEvent, OpenBlock | undefined> {
    if (kind === 'text' && !(part.type === 'text-delta' && part.delta !== '')) return undefined;
    if (kind === 'thinking' && part.type === 'reasoning-end') return undefined;
    if (kind === 'call' && part.type !== 'tool-input-start' && part.type !== 'tool-call') return undefined;
    const open: OpenBlock = { kind, id, grown: false };
    if (kind === 'text') yield this.#builder.startText();
    else if (kind === 'thinking') yield this.#builder.startThinking();
    else yield this.#startCall(id, 'toolName' in part ? part.toolName : '');
    this.#open = open;
    return open;
  }

  #startCall(id: string, name: string): StreamEvent {
    if (!id || !name) throw malformed('The model called a tool without saying which, or under which id');
    return this.#builder.startToolCall(id, name);
  }

  #grow(open: OpenBlock, part: BlockPart): readonly StreamEvent[] {
    if (part.providerMetadata) this.#seal(open, part.providerMetadata);
    const more = part.type === 'tool-call' ? unsaid(open, part.input) : 'delta' in part ? part.delta : '';
    if (more === '') return NOTHING;
    open.grown = true;
    if (open.kind === 'text') return [this.#builder.appendText(more)];
    return [open.kind === 'thinking' ? this.#builder.appendThinking(more) : this.#builder.appendToolCall(more)];
  }

  #seal(open: OpenBlock, metadata: NonNullable<Metadata>): void {
    const seal = this.#options.format.sealIn(metadata);
    if (seal) Object.assign(open, seal);
  }

  *#close(open: OpenBlock, how: 'whole' | 'over' | 'cut'): Generator<StreamEvent> {
    const builder = this.#builder;
    if (open.kind === 'text') yield builder.endText(open.signature);
    else if (open.kind === 'thinking') yield builder.endThinking(open.signature, open.redacted);
    else {
      const whole = builder.isToolCallWhole;
      // The length limit may have cut it, which is said only at the end of the answer.
      if (how === 'whole' && !whole) return;
      yield builder.endToolCall({ cut: how === 'cut' && !whole, thoughtSignature: open.signature });
    }
    yield* this.#next();
  }

  /** The open block is over; what waited behind it takes its turn. */
  *#next(): Generator<StreamEvent> {
    this.#open = undefined;
    for (const [key, parts] of this.#waiting) {
      this.#waiting.delete(key);
      for (const part of parts) yield* this.read(part);
      if (this.#open) return;
    }
  }
}

/** Some providers say the arguments only once, at the end. */
function unsaid(open: OpenBlock, input: string): string {
  return open.grown || input === '{}' ? '' : input;
}
