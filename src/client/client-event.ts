// The events as a client receives them: with their number and with the client that has caused them.
import type { AgentEvent } from '../protocol/index.ts';

/** Absent when the agent is a process that only this client uses. */
export interface EventOrigin {
  /** The number of the event. Increases by one with each event of the session. */
  readonly seq?: number;
  /** Set when the event stands for several folded ones: the number of the first; `seq` is that of the last. */
  readonly firstSeq?: number;
  /** The name of the client whose command has caused the event. */
  readonly client?: string;
}

export type ClientEvent = AgentEvent & EventOrigin;
