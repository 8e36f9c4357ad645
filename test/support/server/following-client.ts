// A client that records the events of a session, and connects again with the number of the last one.
import type { WireFrame } from '../frame-collector.ts';
import { addRecord, createEventRecord, type EventSegment } from './event-record.ts';
import type { ServeProcess } from './serve-process.ts';
import {
  type ConnectParams,
  connectWire,
  type WireConnection,
  type WireEnd,
  type WireKind,
} from './wire-connection.ts';

export interface FollowingClientOptions {
  readonly name: string;
  readonly kind: WireKind;
  readonly stream?: 'full' | 'delta';
  readonly dialect?: string;
  readonly sessionId?: string;
}

export class FollowingClient {
  readonly name: string;
  readonly kind: WireKind;
  readonly segments: EventSegment[] = [];
  readonly ends: WireEnd[] = [];
  readonly replies = new Map<string, WireFrame>();
  /** Called with every frame. */
  onFrame: (frame: WireFrame) => void = () => {};
  onOpen: () => void = () => {};
  onEnd: (end: WireEnd) => void = () => {};
  connections = 0;
  readonly #options: FollowingClientOptions;
  #connection: WireConnection | undefined;
  #requestedAfter: string | undefined;

  constructor(options: FollowingClientOptions) {
    this.#options = options;
    this.name = options.name;
    this.kind = options.kind;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  get segment(): EventSegment | undefined {
    return this.segments.at(-1);
  }

  /** The number of the last event that was received. */
  get lastSeq(): number | undefined {
    const { segment } = this;
    return segment && (segment.records.at(-1)?.last ?? segment.after);
  }

  /** Without `after`, the position is that of the last event; a client that has received nothing gets only new events. */
  connect(server: ServeProcess, sessionId = this.#options.sessionId, after = this.lastSeq?.toString()): void {
    const { name, kind, stream, dialect } = this.#options;
    const params: ConnectParams = { session: sessionId, client: name, stream, dialect, after };
    this.connections += 1;
    this.#requestedAfter = after;
    const connection = connectWire(kind, server, params, {
      onOpen: () => this.onOpen(),
      onFrame: (frame) => {
        if (this.#connection !== connection) return;
        this.#receive(frame);
        this.onFrame(frame);
      },
      onEnd: (end) => {
        this.ends.push(end);
        if (this.#connection === connection) this.#connection = undefined;
        this.onEnd(end);
      },
    });
    this.#connection = connection;
  }

  send(frame: object): void {
    this.#connection?.sendText(JSON.stringify(frame));
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  /** What was received but not read is lost, as when the process of the client ends. */
  terminate(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.terminate();
  }

  #receive(frame: WireFrame): void {
    if (frame.type === 'session_attached') this.#handleAttached(frame);
    else if (frame.type === 'session_snapshot') {
      this.segments.push({ ...start(frame), snapshot: frame });
    } else if (typeof frame.seq === 'number') {
      if (!this.segment) throw new Error(`${this.name} received an event before it was attached`);
      addRecord(this.segment.records, createEventRecord(frame));
    } else if (frame.type === 'response' && typeof frame.id === 'string') this.replies.set(frame.id, frame);
  }

  #handleAttached(frame: WireFrame): void {
    if (frame.replay === 'none') this.segments.push(start(frame));
    if (frame.replay !== 'events') return;
    if (this.#requestedAfter !== this.lastSeq?.toString())
      throw new Error(`${this.name} received events after ${this.lastSeq} for ${this.#requestedAfter}`);
  }
}

function start({ sessionId, seq }: WireFrame): EventSegment {
  return { sessionId: String(sessionId), after: Number(seq), records: [] };
}
