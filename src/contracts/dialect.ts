// The interface of a dialect: it encodes and decodes calls, replies, events and UI requests for one wire protocol.
import type { Fault, Line } from '../base/index.ts';
import type {
  AgentEvent,
  HostRequestFrame,
  HostResponseFrame,
  PromptOutcome,
  SessionAttached,
  SessionSnapshot,
  UiAnswer,
  UiRequest,
} from '../protocol/index.ts';
import type { AgentSession, Disposition } from './agent-session.ts';
import type { CallContext } from './command.ts';
import type { SubagentSubscription } from './host-connection.ts';
import type { HostServices } from './host-services.ts';
import type { Chunk } from './transport.ts';

/** One outgoing line. While the host reads slowly, two frames of the same growing message may be folded into one. */
export interface Frame {
  readonly chunks: readonly Chunk[];
  readonly bytes: number;
  /** Combines this frame and the next one, or returns `undefined` when both must be sent. */
  fold?(next: Frame): Frame | undefined;
  /** A frame that is sent directly after this one, for events that are several lines on the wire. */
  readonly followedBy?: Frame | undefined;
}

/** The place of an event in the feed of its session. Only events for clients of a server have one. */
export interface EventPosition {
  readonly seq: number;
  /** The first event that a frame stands for, when several deltas are folded into one. Default: `seq`. */
  readonly firstSeq?: number | undefined;
  /** The name of the client whose call caused the event. */
  readonly client?: string | undefined;
}

/** Encodes the events of one session, in order. Returns `undefined` for events that the dialect does not define. */
export type EventEncoder = (event: AgentEvent, position?: EventPosition) => Frame | undefined;

/** Codecs with the same key encode events to the same frames, so that one encoder can serve many clients. */
export interface SharedEncoding {
  readonly key: string;
  createEncoder(): EventEncoder;
}

/** What the codec needs to encode the reply to a call. Opaque to other modules. */
export interface CallToken {
  readonly name: string;
  readonly id?: unknown;
}

/** How a dialect whose params or results differ from those of the command converts them. */
export interface CallConversion {
  readonly params: unknown;
  /** Used instead of `params`, when the conversion needs the session or other data. A Fault is sent as the reply. */
  toParams?(call: CallContext): unknown;
  /** Converts the result of the command. May return a promise. */
  toResult?(result: unknown, call: CallContext): unknown;
  /** Replies need not be in the order of the calls, so later calls do not wait for this one. */
  readonly long?: boolean | undefined;
  /** A conversion changes something, although the command only reads: a read-only client may not make this call. */
  readonly needsFullAccess?: boolean | undefined;
}

export type DecodedLine =
  /** `token.name` is the name on the wire, `command` the name of the command, `session` the id of the addressed session. */
  | ({ kind: 'call'; token: CallToken; command: string; session?: string | undefined } & CallConversion)
  | { kind: 'answer'; id: string; answer: UiAnswer }
  | { kind: 'host_response'; frame: HostResponseFrame }
  | { kind: 'refused'; token: CallToken; fault: Fault }
  /** A valid frame without any effect or reply. */
  | { kind: 'ignored' };

/** The states of a call. A dialect decides which of them it sends as a response. */
export type Reply =
  | { status: 'accepted'; disposition?: Disposition | undefined }
  | { status: 'settled'; result: unknown; disposition?: Disposition | undefined }
  | { status: 'failed'; fault: Fault; afterAccepted: boolean };

export interface Codec {
  /** The first frame, sent before the host sends anything. */
  encodeReadyFrame(): Frame | undefined;
  decode(line: Line): DecodedLine;
  encodeReply(token: CallToken, reply: Reply): Frame | undefined;
  /** How the work of an accepted prompt has ended. Absent when the dialect reports this by events only. */
  encodeOutcome?(token: CallToken, outcome: PromptOutcome): Frame | undefined;
  /** `session` is the session of the event, for dialects that send its id. */
  encodeEvent(event: AgentEvent, session?: AgentSession, position?: EventPosition): Frame | undefined;
  /**
   * An event of before the client was attached, for dialects whose encoding of events depends on earlier ones. It is not sent. Default:
   * `encodeEvent`, whose result is not used.
   */
  observeEvent?(event: AgentEvent, session: AgentSession, position: EventPosition): void;
  /** `undefined` while the encoding of events depends on this connection. Read again after each call. */
  readonly sharedEncoding?: SharedEncoding | undefined;
  /** Reports to a client of a server which session it is attached to. Absent when the dialect has no such frame. */
  encodeAttached?(attached: SessionAttached): Frame;
  /** Absent when the dialect has no such frame. */
  encodeSnapshot?(snapshot: SessionSnapshot): Frame;
  /** Another client has closed or deleted a session of this one. Absent when the dialect has no such frame. */
  encodeSessionClosed?(session: AgentSession, reason: string): Frame;
  /** `undefined` when the dialect has no UI requests. Then the caller uses the default answer. */
  encodeUiRequest(request: UiRequest, session?: AgentSession): Frame | undefined;
  /** Absent when the dialect has no host tools. */
  encodeHostRequest?(frame: HostRequestFrame): Frame;
  /**
   * What the host offers to the tools of a session. `send` sends requests to the host; the codec matches its responses itself.
   * Absent when the dialect has no such services.
   */
  createHostServices?(session: AgentSession, send: (frame: Frame) => void): HostServices;
  /** Called once, before the first line is decoded: sends frames that belong to no call, event or UI request. */
  setSender?(send: (frame: Frame) => void): void;
  /** The host has closed its input: it cannot respond any more. */
  handleHostClosed?(): void;
  /** The session was opened again, for example in another directory. The state that the client has of the previous one is that of the next. */
  handleSessionReplaced?(previous: AgentSession, next: AgentSession): void;
  /** Changes which subagent events are sent. Absent when the dialect has no such events. */
  setSubagentSubscription?(level: SubagentSubscription): Promise<void>;
  /** From now on, frames that are too large for one line are split. Absent when the dialect does not define this. */
  enableChunks?(): Promise<void>;
  /** Set by `enableChunks`. Called for every frame before it is sent. */
  limitFrame?: (frame: Frame) => Frame;
  /** Sends only these events from now on, by their names on the wire. Absent when the dialect has no event filter. */
  setEventFilter?(events: ReadonlySet<string> | undefined): void;
}

export interface CodecOptions {
  version: string;
  /** `full` repeats the growing message in every update; `delta` sends only what is new. */
  stream: 'full' | 'delta';
  /** Adds the position to an encoded event. Only for clients of a server; passed in, so that it is not loaded at start. */
  addPosition?: ((frame: Frame, position: EventPosition) => Frame) | undefined;
  /** The name of a client of a server, as in the positions of the events that it has caused. */
  clientName?: string | undefined;
}

export interface Dialect {
  readonly name: string;
  readonly doc: string;
  /** Maps wire names to command names. With `acceptsAllCommands` only names that differ; otherwise all supported methods. */
  readonly methods: ReadonlyMap<string, string>;
  /** Every command is also accepted by its own name. */
  readonly acceptsAllCommands: boolean;
  /** The events that the dialect sends. All others are omitted. */
  readonly events: readonly AgentEvent['type'][];
  /** Overrides the default settings of the program. */
  readonly defaultSettings?: Readonly<Record<string, unknown>>;
  /** Hosts open several sessions and send the session id with each call. */
  readonly isMultiSession?: boolean;
  /** Where the schema of the dialect is published, when another project defines it. Absent: `schema/` contains it. */
  readonly publishedSchema?: string;
  createCodec(options: CodecOptions): Codec;
}
