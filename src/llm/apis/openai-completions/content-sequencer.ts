// Orders the interleaved pieces of an answer so that only one block of the message is open at a time.
import type { StreamEvent } from '../../../protocol/index.ts';
import { createMalformedFault } from '../../http/provider-fault.ts';
import type { MessageBuilder } from '../../message-builder.ts';
import { formatSignature, isContinuation, type ReasoningDetail, type ThinkingForm } from './signature.ts';

/** A piece of a tool call. Servers omit fields that they consider redundant. */
export interface CallDelta {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  extra: string | undefined;
}

interface PartState {
  /** Text received while another block was open. */
  pending: string;
  isOpen: boolean;
  hasContent: boolean;
}
interface TextPart extends PartState {
  kind: 'text';
}
interface ThinkingPart extends PartState {
  kind: 'thinking';
  form: ThinkingForm | ReasoningDetail;
}
interface CallPart extends PartState, Omit<CallDelta, 'arguments'> {
  kind: 'call';
  /** The last piece ended with a brace, so the arguments may be complete. */
  endsWithBrace: boolean;
  isEnded: boolean;
}
type Part = TextPart | ThinkingPart | CallPart;

const NO_EVENTS: readonly StreamEvent[] = [];

/** The first unfinished part is streamed to the message; later parts wait until it has ended. */
export class ContentSequencer {
  readonly #builder: MessageBuilder;
  readonly #parts: Part[] = [];
  readonly #ids = new Set<string>();
  #currentIndex = 0;
  /** White space that may precede text. It does not start a text block on its own. */
  #pendingSpace = '';

  constructor(builder: MessageBuilder) {
    this.#builder = builder;
  }

  addText(piece: string): Iterable<StreamEvent> {
    const last = this.#parts.at(-1);
    if (last?.kind === 'text') return this.#appendOrQueue(last, piece);
    this.#pendingSpace += piece;
    if (this.#pendingSpace.trim() === '') return NO_EVENTS;
    return this.#add({ kind: 'text', ...INITIAL_STATE, pending: this.#pendingSpace });
  }

  addThinking(piece: string, form: ThinkingForm): Iterable<StreamEvent> {
    const last = this.#parts.at(-1);
    if (last?.kind === 'thinking' && last.form === form) return this.#appendOrQueue(last, piece);
    return this.#add({ kind: 'thinking', ...INITIAL_STATE, pending: piece, form });
  }

  addDetail(piece: string, detail: ReasoningDetail): Iterable<StreamEvent> {
    const last = this.#parts.at(-1);
    if (last?.kind !== 'thinking' || typeof last.form === 'string' || !isContinuation(last.form, detail)) {
      return this.#add({ kind: 'thinking', ...INITIAL_STATE, pending: piece, form: { ...detail } });
    }
    const defined = Object.entries(detail).filter(([, value]) => value !== null && value !== undefined);
    Object.assign(last.form, Object.fromEntries(defined));
    return piece === '' ? NO_EVENTS : this.#appendOrQueue(last, piece);
  }

  addCall(piece: CallDelta): Iterable<StreamEvent> {
    const part = this.#findCall(piece);
    if (!part) {
      const { arguments: pending, ...call } = piece;
      return this.#add({ kind: 'call', ...INITIAL_STATE, endsWithBrace: false, isEnded: false, ...call, pending });
    }
    part.id ||= piece.id;
    part.name ||= piece.name;
    part.extra ??= piece.extra;
    if (!part.isEnded) return this.#appendOrQueue(part, piece.arguments);
    if (piece.arguments.trim() === '') return NO_EVENTS;
    throw createMalformedFault(`The provider sent more arguments for the tool ${part.name} after they were complete`);
  }

  /** `cut`: the answer hit its length limit. */
  *end(cut: boolean): Generator<StreamEvent> {
    for (; this.#currentIndex < this.#parts.length; this.#currentIndex++) {
      const part = this.#parts[this.#currentIndex] as Part;
      if (part.kind === 'call' && part.name === '') {
        if (cut) continue;
        throw createMalformedFault('The provider sent a tool call without the name of the tool');
      }
      if (!part.isOpen) yield* this.#startPart(part);
      yield this.#closePart(part, cut);
    }
  }

  *#add(part: Part): Generator<StreamEvent> {
    this.#pendingSpace = '';
    this.#builder.progress++;
    this.#parts.push(part);
    yield* this.#advance();
  }

  #appendOrQueue(part: Part, piece: string): Iterable<StreamEvent> {
    if (piece === '' && part.isOpen) return NO_EVENTS;
    if (!part.isOpen) {
      if (piece !== '') this.#builder.progress++;
      part.pending += piece;
      return this.#advance();
    }
    const event = this.#append(part, piece);
    if (part === this.#parts.at(-1)) return [event];
    return this.#emitAndAdvance(event);
  }

  *#emitAndAdvance(event: StreamEvent): Generator<StreamEvent> {
    yield event;
    yield* this.#advance();
  }

  /** Starts and ends parts where possible. The last part stays open, because it may still grow. */
  *#advance(): Generator<StreamEvent> {
    for (let part = this.#parts[this.#currentIndex]; part; part = this.#parts[this.#currentIndex]) {
      if (!part.isOpen) {
        if (part.kind === 'call' && part.name === '') return;
        yield* this.#startPart(part);
      }
      if (part === this.#parts.at(-1)) return;
      // A call is complete when its arguments are complete JSON. Without arguments, more may follow.
      if (part.kind === 'call' && !(part.endsWithBrace && this.#builder.isToolCallComplete)) return;
      yield this.#closePart(part, false);
      this.#currentIndex++;
    }
  }

  *#startPart(part: Part): Generator<StreamEvent> {
    if (part.kind === 'text') yield this.#builder.startText();
    else if (part.kind === 'thinking') yield this.#builder.startThinking();
    else yield this.#builder.startToolCall(this.#createUniqueId(part), part.name);
    part.isOpen = true;
    if (part.pending !== '') yield this.#append(part, part.pending);
    part.pending = '';
  }

  #append(part: Part, piece: string): StreamEvent {
    part.hasContent = true;
    if (part.kind === 'text') return this.#builder.appendText(piece);
    if (part.kind === 'thinking') return this.#builder.appendThinking(piece);
    part.endsWithBrace = piece.trimEnd().endsWith('}');
    return this.#builder.appendToolCall(piece);
  }

  #closePart(part: Part, cut: boolean): StreamEvent {
    if (part.kind === 'text') return this.#builder.endText();
    if (part.kind === 'thinking') {
      const isHidden = typeof part.form !== 'string' && !part.hasContent;
      return this.#builder.endThinking(formatSignature(part.form), isHidden);
    }
    part.isEnded = true;
    if (cut && !this.#builder.isToolCallComplete) return this.#builder.endToolCall({ cut });
    return this.#builder.endToolCall({ thoughtSignature: part.extra });
  }

  /** The call that a piece belongs to. Servers identify calls by index, by id, or only by order. */
  #findCall({ index, id, name }: CallDelta): CallPart | undefined {
    const calls = this.#parts.filter((part) => part.kind === 'call');
    const matches = (call: CallPart) => (index !== undefined ? call.index === index : id === '' || call.id === id);
    const call = calls.findLast(matches);
    // Some servers use index 0 for every call, or send neither index nor id. Then a name starts a new call.
    const startsNewCall =
      name !== '' && (id === '' ? index === undefined && call?.name !== '' : call?.id !== '' && call?.id !== id);
    return startsNewCall ? undefined : call;
  }

  /** Some servers omit ids or repeat them. A generated id stays the same as long as the message does. */
  #createUniqueId({ id }: CallPart): string {
    const { timestamp } = this.#builder.message;
    const uniqueId = id !== '' && !this.#ids.has(id) ? id : `call_${timestamp.toString(36)}_${this.#ids.size}`;
    this.#ids.add(uniqueId);
    return uniqueId;
  }
}

const INITIAL_STATE: PartState = { pending: '', isOpen: false, hasContent: false };
