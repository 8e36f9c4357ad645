// Ground floor: how calls, replies, events and questions are spelled on a wire. The rest of the house never sees a spelling.
import type { Fault, Line } from '../base/index.ts';
import type { AgentEvent, HostToolFrame, HostToolNews, UiAnswer, UiRequest } from '../protocol/index.ts';
import type { SubagentLevel } from './host-side.ts';
import type { AgentSession, Disposition } from './session.ts';
import type { Chunk } from './transport.ts';

/** One line on its way out. Two frames may fold into one while the host is slow; most never do. */
export interface Frame {
  readonly chunks: readonly Chunk[];
  readonly bytes: number;
  /** This frame and the one after it as a single frame, or `undefined` when both must stand. */
  fold?(next: Frame): Frame | undefined;
  /** Follows at once: what is one thing here may be several lines on a wire. */
  readonly behind?: Frame | undefined;
}

/** What the codec needs to answer a call later. Opaque to everyone else. */
export interface CallToken {
  readonly name: string;
  readonly id?: unknown;
}

export type Incoming =
  /** `token.name` is what the host called it, `command` what is meant, `session` the id of the one it speaks to. */
  | { kind: 'call'; token: CallToken; command: string; params: unknown; session?: string | undefined }
  | { kind: 'answer'; id: string; answer: UiAnswer }
  | { kind: 'hosted'; news: HostToolNews }
  | { kind: 'refused'; token: CallToken; fault: Fault }
  /** Understood, and nothing to do: some frames get no reply by definition. */
  | { kind: 'nothing' };

/** The moments of a call. A dialect says which of them it answers. */
export type Reply =
  | { moment: 'accepted'; disposition?: Disposition | undefined }
  | { moment: 'settled'; result: unknown; disposition?: Disposition | undefined }
  | { moment: 'failed'; fault: Fault; afterAccepted: boolean };

export interface Codec {
  /** What is said before anything was asked. */
  greeting(): Frame | undefined;
  decode(line: Line): Incoming;
  reply(token: CallToken, reply: Reply): Frame | undefined;
  /** `session` is the one that it happened to, for dialects that name it. */
  event(event: AgentEvent, session?: AgentSession): Frame | undefined;
  /** `undefined` where questions have no spelling: whoever asks takes the default. */
  ask(request: UiRequest, session?: AgentSession): Frame | undefined;
  /** Absent where hosts have no tools. */
  hosted?(frame: HostToolFrame): Frame;
  /** How much is told of what subagents do, from here on. Absent where there are no words for it. */
  watchSubagents?(level: SubagentLevel): Promise<void>;
  /** Only these events from here on, by their names on the wire. Absent where that cannot be said. */
  listenTo?(events: ReadonlySet<string> | undefined): void;
}

export interface CodecOptions {
  version: string;
  /** `full` repeats the growing message in every update; `delta` sends only what is new. */
  stream: 'full' | 'delta';
}

export interface Dialect {
  readonly name: string;
  readonly doc: string;
  /** By wire name, the commands that have another name here than their own, or the only ones there are. */
  readonly methods: ReadonlyMap<string, string>;
  /** Every command is understood by its own name, beside the methods. */
  readonly hasEveryCommand: boolean;
  /** What is told. Everything else that happens is passed over in silence. */
  readonly events: readonly AgentEvent['type'][];
  /** In the place of the program's own defaults. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Hosts open sessions themselves, and name the one they speak to. */
  readonly manySessions?: boolean;
  codec(options: CodecOptions): Codec;
}
