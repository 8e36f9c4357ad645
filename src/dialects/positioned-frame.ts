// Adds the sequence number of an event, and the client that caused it, to an encoded frame.
import { toJson } from '../base/index.ts';
import type { Chunk, EventPosition, Frame } from '../contracts/index.ts';

/** Where the fields are inserted: directly after this text, which is at the start of the first chunk or inside it. */
const FRAME_START = '{';
const RPC_PARAMS = '"params":{';

/** As fields of the frame itself. */
export function addPosition(frame: Frame, position: EventPosition): Frame {
  return new PositionedFrame(frame, position, insertFields, frame.followedBy);
}

/** In `params._meta` of JSON-RPC notifications. Other messages are not changed. */
export function addRpcPosition(frame: Frame | undefined, position: EventPosition | undefined): Frame | undefined {
  if (!frame || !position) return frame;
  return new PositionedFrame(frame, position, insertMeta, addRpcPosition(frame.followedBy, position));
}

type Insert = (text: string, fields: string) => string;

/** The chunks are created when the frame is written, because most deltas are folded before. */
class PositionedFrame implements Frame {
  readonly bytes: number;
  readonly followedBy: Frame | undefined;
  readonly #inner: Frame;
  readonly #position: EventPosition;
  readonly #fields: string;
  readonly #insert: Insert;
  fold?: (next: Frame) => Frame | undefined;

  constructor(inner: Frame, position: EventPosition, insert: Insert, followedBy: Frame | undefined) {
    this.#inner = inner;
    this.#position = position;
    this.#fields = formatFields(position);
    this.#insert = insert;
    this.followedBy = followedBy;
    this.bytes = inner.bytes + this.#fields.length;
    if (inner.fold) this.fold = (next) => this.#fold(next);
  }

  get chunks(): readonly Chunk[] {
    const [first = '', ...rest] = this.#inner.chunks;
    return [typeof first === 'string' ? this.#insert(first, this.#fields) : first, ...rest];
  }

  #fold(next: Frame): Frame | undefined {
    if (!(next instanceof PositionedFrame) || next.#position.client !== this.#position.client) return undefined;
    const inner = this.#inner.fold?.(next.#inner);
    if (!inner) return undefined;
    const { seq, firstSeq = seq } = this.#position;
    return new PositionedFrame(inner, { ...next.#position, firstSeq }, this.#insert, next.followedBy);
  }
}

function insertFields(text: string, fields: string): string {
  return `${FRAME_START}${fields},${text.slice(FRAME_START.length)}`;
}

function insertMeta(text: string, fields: string): string {
  const at = text.indexOf(RPC_PARAMS);
  if (at < 0) return text;
  const end = at + RPC_PARAMS.length;
  return `${text.slice(0, end)}"_meta":{"parley":{${fields}}},${text.slice(end)}`;
}

function formatFields({ seq, firstSeq, client }: EventPosition): string {
  const first = firstSeq === undefined ? '' : `,"firstSeq":${firstSeq}`;
  return `"seq":${seq}${first}${client === undefined ? '' : `,"client":${toJson(client)}`}`;
}
