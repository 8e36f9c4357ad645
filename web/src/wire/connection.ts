// A connection to one session of the server that opens again by itself. Sockets, timers and randomness are passed in.
import { computeDelay } from './backoff.ts';
import { PendingCalls } from './pending-calls.ts';
import type { IncomingFrame, ReplyFrame } from './server-frames.ts';

/** The part of a WebSocket that is used here. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
}

export interface ConnectionPorts {
  openSocket(url: string): Socket;
  /** Returns a function that cancels the timer. */
  startTimer(delayMs: number, run: () => void): () => void;
  random(): number;
  now(): number;
}

export type ConnectionState =
  /** `closeCode` is that of the last connection. */
  | { readonly kind: 'connecting'; readonly attempt: number; readonly closeCode?: number | undefined }
  | { readonly kind: 'open' }
  /** `retryAt` in milliseconds since the epoch. */
  | {
      readonly kind: 'waiting';
      readonly attempt: number;
      readonly retryAt: number;
      readonly closeCode: number | undefined;
      readonly reason: string;
    }
  /** The server refuses this connection; another attempt would not help. */
  | { readonly kind: 'refused'; readonly code: number; readonly reason: string };

export interface ConnectionHandlers {
  /** The address for the next attempt: it contains the number of the last event that was seen. */
  buildUrl(): string;
  onState(state: ConnectionState): void;
  /** Called for every frame, in order. `text` is the frame as it was received. */
  onFrame(frame: IncomingFrame, text: string): void;
  onSent(frame: object, text: string): void;
  /** Called when the server has confirmed which session this connection follows. */
  onAttached(): void;
}

/** Close codes after which another attempt cannot succeed. */
const FINAL_CODES: readonly number[] = [4400, 4401, 4403, 4404];

/** Without a frame for this long, the page sends a call and expects the reply. */
const QUIET_MS = 20_000;
const PROBE_TIMEOUT_MS = 10_000;

export class Connection {
  readonly #ports: ConnectionPorts;
  readonly #handlers: ConnectionHandlers;
  readonly #calls = new PendingCalls();
  #socket: Socket | undefined;
  #state: ConnectionState = { kind: 'connecting', attempt: 0 };
  #attempt = 0;
  #closeCode: number | undefined;
  #cancelTimer: () => void = () => {};
  #lastReceived = 0;
  #isClosed = false;

  constructor(ports: ConnectionPorts, handlers: ConnectionHandlers) {
    this.#ports = ports;
    this.#handlers = handlers;
    this.#open();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Rejects with CallError. A call while the connection is not open is rejected at once. */
  call(command: string, params: object = {}): Promise<unknown> {
    const { frame, reply } = this.#calls.start(command, params);
    if (!this.send(frame)) this.#calls.rejectAll('There is no connection to the server');
    return reply;
  }

  /** Returns false if the connection is not open. */
  send(frame: object): boolean {
    if (this.#state.kind !== 'open' || !this.#socket) return false;
    const text = JSON.stringify(frame);
    this.#socket.send(text);
    this.#handlers.onSent(frame, text);
    return true;
  }

  /** Tries to connect now: the network is back, or the page is visible again. */
  retryNow(): void {
    if (this.#state.kind === 'waiting') this.#open();
    else if (this.#state.kind === 'open') this.#probe();
  }

  /** Opens the connection again, with the address of now. */
  restart(): void {
    this.#dropSocket('The connection is opened again');
    this.#open();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#dropSocket('The connection was closed');
  }

  #open(): void {
    this.#cancelTimer();
    if (this.#isClosed) return;
    this.#setState({ kind: 'connecting', attempt: this.#attempt, closeCode: this.#closeCode });
    const socket = this.#ports.openSocket(this.#handlers.buildUrl());
    this.#socket = socket;
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      this.#lastReceived = this.#ports.now();
      this.#setState({ kind: 'open' });
      this.#watch(QUIET_MS);
    };
    socket.onmessage = ({ data }: { data: unknown }) => {
      if (socket === this.#socket && typeof data === 'string') this.#receive(data);
    };
    socket.onclose = ({ code, reason }: { code: number; reason: string }) => {
      if (socket === this.#socket) this.#handleClose(code, reason);
    };
  }

  #receive(text: string): void {
    this.#lastReceived = this.#ports.now();
    let frame: IncomingFrame;
    try {
      frame = JSON.parse(text);
    } catch {
      return;
    }
    if (frame.type === 'session_attached') this.#attempt = 0;
    this.#handlers.onFrame(frame, text);
    if (frame.type === 'session_attached') this.#handlers.onAttached();
    if ((frame as ReplyFrame).type === 'response') this.#calls.settle(frame as ReplyFrame);
  }

  /** Runs while the connection is open. */
  #watch(delayMs: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#ports.startTimer(delayMs, () => {
      const quietMs = this.#ports.now() - this.#lastReceived;
      if (quietMs >= QUIET_MS) this.#probe();
      else this.#watch(QUIET_MS - quietMs);
    });
  }

  /** Asks for a reply. A connection that lost its server without a notice is closed here. */
  #probe(): void {
    this.#cancelTimer();
    const asked = this.#ports.now();
    this.call('get_state').catch(() => {});
    this.#cancelTimer = this.#ports.startTimer(PROBE_TIMEOUT_MS, () => {
      if (this.#lastReceived >= asked) return this.#watch(QUIET_MS);
      this.#dropSocket('The server does not reply');
      this.#closeCode = undefined;
      this.#scheduleRetry('The server does not reply');
    });
  }

  #handleClose(code: number, reason: string): void {
    this.#dropSocket(reason || 'The connection was lost');
    this.#closeCode = code;
    if (this.#isClosed) return;
    if (FINAL_CODES.includes(code)) this.#setState({ kind: 'refused', code, reason });
    else this.#scheduleRetry(reason);
  }

  #scheduleRetry(reason: string): void {
    const delay = computeDelay(this.#attempt, () => this.#ports.random());
    this.#attempt++;
    const retryAt = this.#ports.now() + delay;
    this.#setState({ kind: 'waiting', attempt: this.#attempt, retryAt, closeCode: this.#closeCode, reason });
    this.#cancelTimer = this.#ports.startTimer(delay, () => this.#open());
  }

  #dropSocket(reason: string): void {
    this.#cancelTimer();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#calls.rejectAll(reason);
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    this.#handlers.onState(state);
  }
}
