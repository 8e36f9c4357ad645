// Ground floor: what the model may do. A tool sees its arguments and its surroundings, never the session.
import type { GenericSchema, InferOutput } from 'valibot';
import type { Kept } from './kept.ts';
import type { Ports } from './ports.ts';
import type { Subagents } from './subagents.ts';
import type { Todos } from './todos.ts';
import type { ToolResult } from './tool-result.ts';

/** Where whole outputs are kept when a result shows only a part. */
export interface Artifacts {
  /** The next free id and the path that belongs to it. The directory is made when the first is asked for. */
  reserve(toolName: string): Promise<{ id: string; path: string }>;
  /** The path of an artifact that exists. */
  find(id: string): Promise<string | undefined>;
}

export interface ToolContext {
  readonly toolCallId: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly ports: Ports;
  readonly artifacts: Artifacts;
  readonly options: ToolOptions;
  /** Texts that lie beside the conversation. */
  readonly kept?: Kept | undefined;
  /** The list of things to do, where there is one. */
  readonly todos?: Todos | undefined;
  /** Absent where nobody may start any. */
  readonly subagents?: Subagents | undefined;
  /** Shows everything so far to whoever watches. */
  update(partial: ToolResult): void;
}

/** Settings that tools read. */
export interface ToolOptions {
  readonly shellPath: string | undefined;
  /** Seconds; applies when the model gives none. */
  readonly bashTimeout: number | undefined;
}

export interface Tool<P extends GenericSchema = GenericSchema> {
  readonly name: string;
  /** What the model reads about it. */
  readonly doc: string;
  /** One line for the list of tools in the system prompt. */
  readonly snippet?: string;
  /** Advice for the system prompt, when this tool is active. */
  readonly guidelines?: readonly string[];
  readonly effect: 'read' | 'write' | 'execute';
  /** It hands work on: agents that may not do so are not offered it. */
  readonly startsSubagents?: boolean;
  /** Milliseconds that a run waits for the result after an abort. 1000 when absent. */
  readonly abortGraceMs?: number;
  /** It asks the person at the host: not offered where nobody could answer, nor to subagents. */
  readonly asksHost?: boolean;
  /** What it does to the file that its `path` argument names, for the record that a compaction keeps. */
  readonly file?: 'read' | 'modified';
  readonly params: P;
  /** JSON Schema of the arguments for tools that bring their own; otherwise it follows from `params`. */
  readonly parameters?: Record<string, unknown>;
  /** What `params` cannot check at once. Throws a Fault that names the argument. */
  verify?(input: unknown): Promise<void>;
  run(params: InferOutput<P>, context: ToolContext): Promise<ToolResult>;
}

/** Declares a tool. Its type carries the arguments, so `run` needs no annotations. */
export function tool<P extends GenericSchema>(declaration: Tool<P>): Tool<P> {
  return declaration;
}
