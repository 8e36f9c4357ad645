// Schemas of the session state, the session statistics and the result of `bash`.
import { array, boolean, type InferOutput, nullable, number, object, optional, picklist, string } from 'valibot';
import { permissionMode } from './approval.ts';
import { model, thinkingLevel } from './model.ts';
import { todoPhase } from './todo.ts';

export const queueMode = picklist(['all', 'one-at-a-time']);
export const interruptMode = picklist(['immediate', 'wait']);

export type QueueMode = InferOutput<typeof queueMode>;
export type InterruptMode = InferOutput<typeof interruptMode>;

export const sessionState = object({
  model: nullable(model),
  thinkingLevel,
  isStreaming: boolean(),
  isCompacting: boolean(),
  /** No run is in progress and nothing automatic follows the last one: `agent_settled` has been sent. */
  isSettled: boolean(),
  /** True when the session was opened with a log whose last run has not ended, because the program was killed: see continue_run. */
  isInterrupted: optional(boolean()),
  steeringMode: queueMode,
  followUpMode: queueMode,
  interruptMode,
  /** Absent with `--no-session`. Present before the file exists: the file is created with the first acknowledged change. */
  sessionFile: optional(string()),
  sessionId: string(),
  sessionName: optional(string()),
  /** Whether the project is trusted, so that its settings, extensions, skills, rules and agents are used. */
  trusted: boolean(),
  /** What the agent may do without asking. */
  permissionMode,
  autoCompactionEnabled: boolean(),
  /** The host has enabled fast mode. */
  fastModeEnabled: boolean(),
  /** Fast mode is enabled, and the current model supports it. */
  fastModeActive: boolean(),
  /** Output tokens per second of the last answer; null before the first one. */
  tokensPerSecond: nullable(number()),
  messageCount: number(),
  queuedMessageCount: number(),
  /** The same number under the name that pi's hosts read. */
  pendingMessageCount: number(),
  /** The todo list, grouped by phase. */
  todoPhases: array(todoPhase),
});

export const sessionStats = object({
  sessionFile: optional(string()),
  sessionId: string(),
  userMessages: number(),
  assistantMessages: number(),
  toolCalls: number(),
  toolResults: number(),
  totalMessages: number(),
  tokens: object({
    input: number(),
    output: number(),
    cacheRead: number(),
    cacheWrite: number(),
    total: number(),
  }),
  cost: number(),
  /** Use of the context window; absent without a model. */
  contextUsage: optional(object({ tokens: number(), contextWindow: number(), percent: number() })),
});

/** The result of a `bash` command. Counts are of the whole output (`total…`) and of the part in `output` (`output…`). */
export const bashResult = object({
  output: string(),
  /** Absent when the command was cancelled before it could exit. */
  exitCode: optional(number()),
  cancelled: boolean(),
  truncated: boolean(),
  totalLines: number(),
  totalBytes: number(),
  outputLines: number(),
  outputBytes: number(),
  /** Id of the artifact with the whole output; the read tool opens it as `artifact://ID`. */
  artifactId: optional(string()),
  /** Path of the file with the whole output. */
  fullOutputPath: optional(string()),
});

export type SessionState = InferOutput<typeof sessionState>;
export type SessionStats = InferOutput<typeof sessionStats>;
export type BashResult = InferOutput<typeof bashResult>;
