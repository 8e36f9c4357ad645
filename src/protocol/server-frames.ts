// Frames that only clients of a server receive: which session they are attached to, and the state of a session as a whole.
import {
  array,
  type InferOutput,
  literal,
  nullable,
  number,
  object,
  optional,
  picklist,
  record,
  string,
  unknown,
} from 'valibot';
import { agentMessage, assistantMessage } from './message.ts';
import { sessionState } from './session-state.ts';

/** `full`: all commands. `read`: only commands that change nothing. */
export const clientAccess = picklist(['full', 'read']);

/** Sent when a client is attached to a session: after the connection, and when it moves to another session. */
export const sessionAttached = object({
  type: literal('session_attached'),
  sessionId: string(),
  /** The name of the client, as in the `client` field of events. */
  clientId: string(),
  /** The sequence number of the newest event. */
  seq: number(),
  access: clientAccess,
  /** What follows: nothing but new events, the events that the client has missed, or a `session_snapshot`. */
  replay: picklist(['none', 'events', 'snapshot']),
  /** Whether the process has only this session (`parley --socket PATH`), or the client can attach to others (`parley serve`). */
  sessions: picklist(['one', 'many']),
});

/**
 * The whole state of a session at one sequence number, for a client that asked for events that are not available: the position
 * is too old or of an earlier server process (`too_old`), ahead (`unknown_position`), or no whole number (`malformed`).
 */
export const sessionSnapshot = object({
  type: literal('session_snapshot'),
  reason: picklist(['too_old', 'unknown_position', 'malformed']),
  sessionId: string(),
  /** The snapshot contains the effects of all events up to this one. */
  seq: number(),
  state: sessionState,
  /** The newest messages of the context. `get_messages_range` returns the ones before `firstIndex`. */
  messages: array(agentMessage),
  totalMessages: number(),
  firstIndex: number(),
  /** The assistant message that is being received. */
  openMessage: nullable(assistantMessage),
  runningTools: array(
    object({
      toolCallId: string(),
      toolName: string(),
      args: record(string(), unknown()),
      partialResult: optional(unknown()),
    }),
  ),
  queues: object({ steering: array(string()), followUp: array(string()) }),
});

export type ClientAccess = InferOutput<typeof clientAccess>;
export type SessionAttached = InferOutput<typeof sessionAttached>;
export type SessionSnapshot = InferOutput<typeof sessionSnapshot>;
