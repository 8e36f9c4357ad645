// A client that records the events of a session, and connects again with the number of the last one.
import type { WireFrame } from '../frame-collector.ts';
import { EventHistory } from './event-history.ts';
import type { EventSegment } from './event-record.ts';
import {
  type ConnectParams,
  connectWire,
  type WireAddress,
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
  readonly ends: WireEnd[] = [];
  readonly replies = new Map<string, WireFrame>();
  /** Called with every frame. */
  onFrame: (frame: WireFrame) => void = () => {};
  onOpen: () => void = () => {};
  onEnd: (end: WireEnd) => void = () => {};
  connections = 0;
  readonly #options: FollowingClientOptions;
  readonly #history: EventHistory;
  #connection: WireConnection | undefined;
  #requestedAfter: string | undefined;

  constructor(options: FollowingClientOptions) {
    this.#options = options;
    this.name = options.name;
    this.kind = options.kind;
    this.#history = new EventHistory(options.name);
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  get segments(): EventSegment[] {
    return this.#history.segments;
  }

  get segment(): EventSegment | undefined {
    return this.#history.segment;
  }

  /** The number of the last event that was received. */
  get lastSeq(): number | undefined {
    return this.#history.lastSeq;
  }

  /** Without `after`, the position is that of the last event; a client that has received nothing gets only new events. */
  connect(server: WireAddress, sessionId = this.#options.sessionId, after = this.lastSeq?.toString()): void {
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
    if (this.#history.receive(frame, this.#requestedAfter)) return;
    if (frame.type === 'response' && typeof frame.id === 'string') this.replies.set(frame.id, frame);
  }
}
