// First floor, llm: puts an answer's pieces in line, one block after another, however the wire mixes them. Knows no wire.
import type { StreamEvent } from '../../../protocol/index.ts';
import { malformed } from '../../http/failure.ts';
import type { MessageBuilder } from '../../message-builder.ts';
import { type Detail, formSignature, goesOn, type ThinkingForm } from './signature.ts';

/** A piece of a call. Servers leave out what they think is clear. */
export interface CallPiece {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  extra: string | undefined;
}

interface Waiting {
  /** What came while another block was open. */
  pending: string;
  open: boolean;
  grown: boolean;
}
interface TextPart extends Waiting {
  kind: 'text';
}
interface ThinkingPart extends Waiting {
  kind: 'thinking';
  form: ThinkingForm | Detail;
}
interface CallPart extends Waiting, Omit<CallPiece, 'arguments'> {
  kind: 'call';
  /** Its last piece ended with a brace, so it may be complete. */
  braced: boolean;
  ended: boolean;
}
type Part = TextPart | ThinkingPart | CallPart;

const NOTHING: readonly StreamEvent[] = [];

/** The first part that has not ended grows in the open; those after it wait until it has. */
export class AnswerParts {
  readonly #builder: MessageBuilder;
  readonly #parts: Part[] = [];
  readonly #ids = new Set<string>();
  #head = 0;
  /** Empty space that may turn out to lead in a text. Alone it is none. */
  #blank = '';

  constructor(builder: MessageBuilder) {
    this.#builder = builder;
  }

  text(piece: string): Iterable<StreamEvent> {
    const last = this.#parts.at(-1);
    if (last?.kind === 'text') return this.#grow(last, piece);
    this.#blank += piece;
    if (this.#blank.trim() === '') return NOTHING;
    return this.#add({ kind: 'text', ...WAITING, pending: this.#blank });
  }

  thinking(piece: string, form: ThinkingForm): Iterable<StreamEvent> {
    const last = this.#parts.at(-1);
    if (last?.kind === 'thinking' && last.form === form) return this.#grow(last, piece);
    return this.#add({ kind: 'thinking', ...WAITING, pending: piece, form });
  }

  detail(piece: string, detail: Detail): Iterable<StreamEvent> {
    const last = this.#parts.at(-1);
    if (last?.kind !== 'thinking' || typeof last.form === 'string' || !goesOn(last.form, detail)) {
      return this.#add({ kind: 'thinking', ...WAITING, pending: piece, form: { ...detail } });
    }
    const known = Object.entries(detail).filter(([, value]) => value !== null && value !== undefined);
    Object.assign(last.form, Object.fromEntries(known));
    return piece === '' ? NOTHING : this.#grow(last, piece);
  }

  call(piece: CallPiece): Iterable<StreamEvent> {
    const part = this.#known(piece);
    if (!part) {
      const { arguments: pending, ...call } = piece;
      return this.#add({ kind: 'call', ...WAITING, braced: false, ended: false, ...call, pending });
    }
    part.id ||= piece.id;
    part.name ||= piece.name;
    part.extra ??= piece.extra;
    if (!part.ended) return this.#grow(part, piece.arguments);
    if (piece.arguments.trim() === '') return NOTHING;
    throw malformed(`The provider sent more arguments for the tool ${part.name} after they were complete`);
  }

  /** `cut`: the answer hit its length limit. */
  *end(cut: boolean): Generator<StreamEvent> {
    for (; this.#head < this.#parts.length; this.#head++) {
      const part = this.#parts[this.#head] as Part;
      if (part.kind === 'call' && part.name === '') {
        if (cut) continue;
        throw malformed('The provider sent a tool call without the name of the tool');
      }
      if (!part.open) yield* this.#start(part);
      yield this.#close(part, cut);
    }
  }

  *#add(part: Part): Generator<StreamEvent> {
    this.#blank = '';
    this.#builder.progress++;
    this.#parts.push(part);
    yield* this.#settle();
  }

  #grow(part: Part, piece: string): Iterable<StreamEvent> {
    if (piece === '' && part.open) return NOTHING;
    if (!part.open) {
      if (piece !== '') this.#builder.progress++;
      part.pending += piece;
      return this.#settle();
    }
    const event = this.#append(part, piece);
    if (part === this.#parts.at(-1)) return [event];
    return this.#goOn(event);
  }

  *#goOn(event: StreamEvent): Generator<StreamEvent> {
    yield event;
    yield* this.#settle();
  }

  /** Starts what can start and ends what has ended. The last part may always grow further. */
  *#settle(): Generator<StreamEvent> {
    for (let part = this.#parts[this.#head]; part; part = this.#parts[this.#head]) {
      if (!part.open) {
        if (part.kind === 'call' && part.name === '') return;
        yield* this.#start(part);
      }
      if (part === this.#parts.at(-1)) return;
      // Whether a call is complete only its arguments can tell; without any, more may come.
      if (part.kind === 'call' && !(part.braced && this.#builder.isToolCallWhole)) return;
      yield this.#close(part, false);
      this.#head++;
    }
  }

  *#start(part: Part): Generator<StreamEvent> {
    if (part.kind === 'text') yield this.#builder.startText();
    else if (part.kind === 'thinking') yield this.#builder.startThinking();
    else yield this.#builder.startToolCall(this.#idOf(part), part.name);
    part.open = true;
    if (part.pending !== '') yield this.#append(part, part.pending);
    part.pending = '';
  }

  #append(part: Part, piece: string): StreamEvent {
    part.grown = true;
    if (part.kind === 'text') return this.#builder.appendText(piece);
    if (part.kind === 'thinking') return this.#builder.appendThinking(piece);
    part.braced = piece.trimEnd().endsWith('}');
    return this.#builder.appendToolCall(piece);
  }

  #close(part: Part, cut: boolean): StreamEvent {
    if (part.kind === 'text') return this.#builder.endText();
    if (part.kind === 'thinking') {
      const hidden = typeof part.form !== 'string' && !part.grown;
      return this.#builder.endThinking(formSignature(part.form), hidden);
    }
    part.ended = true;
    if (cut && !this.#builder.isToolCallWhole) return this.#builder.endToolCall({ cut });
    return this.#builder.endToolCall({ thoughtSignature: part.extra });
  }

  /** The call that a piece belongs to. Pieces are told apart by index, by id, or only by their order. */
  #known({ index, id, name }: CallPiece): CallPart | undefined {
    const calls = this.#parts.filter((part) => part.kind === 'call');
    const same = (call: CallPart) => (index !== undefined ? call.index === index : id === '' || call.id === id);
    const call = calls.findLast(same);
    // Some servers give every call the index 0, or none and no id: then a name begins another.
    const another =
      name !== '' && (id === '' ? index === undefined && call?.name !== '' : call?.id !== '' && call?.id !== id);
    return another ? undefined : call;
  }

  /** Some servers leave ids out, or give all calls the same. Ours are as stable as the message. */
  #idOf({ id }: CallPart): string {
    const { timestamp } = this.#builder.message;
    const own = id !== '' && !this.#ids.has(id) ? id : `call_${timestamp.toString(36)}_${this.#ids.size}`;
    this.#ids.add(own);
    return own;
  }
}

const WAITING: Waiting = { pending: '', open: false, grown: false };
