// How a tool is declared. A tool receives its arguments and a ToolContext, never the session.
import type { GenericSchema, InferOutput } from 'valibot';
import type { Artifacts } from './artifacts.ts';
import type { HostServices } from './host-services.ts';
import type { HostUris } from './host-uris.ts';
import type { PermissionSubject, ProcessSandbox } from './permissions.ts';
import type { Ports } from './ports.ts';
import type { SidecarFiles } from './sidecar-files.ts';
import type { SubagentRunner } from './subagents.ts';
import type { TodoList } from './todo-list.ts';
import type { ToolResult } from './tool-result.ts';

export interface ToolContext {
  readonly toolCallId: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Its files obey the path policy of the session. */
  readonly ports: Ports;
  /** For files of the agent itself: artifacts and the shell. Never for a path that the model has chosen. Absent: like `ports`. */
  readonly agentPorts?: Ports | undefined;
  /** The path policy refuses some files. What another program has read must be confirmed with `ports.files`. */
  readonly isEnforcingPaths?: boolean | undefined;
  readonly artifacts: Artifacts;
  readonly options: ToolOptions;
  readonly sidecarFiles?: SidecarFiles | undefined;
  /** Schemes of the host, and `mcp://` for resources of MCP servers. Subagents have only the latter. Absent when there are none. */
  readonly hostUris?: HostUris | undefined;
  /** Absent when the host offers none, and in subagents. */
  readonly hostServices?: HostServices | undefined;
  readonly todos?: TodoList | undefined;
  /** For the processes that the tool starts. `undefined` when the sandbox is off. */
  getSandbox?(): Promise<ProcessSandbox | undefined>;
  /** Absent when the session may not start subagents. */
  readonly subagents?: SubagentRunner | undefined;
  /** Sends the partial result so far, as a tool_execution_update event. */
  update(partial: ToolResult): void;
}

export type PreviewContext = Pick<ToolContext, 'cwd' | 'ports' | 'signal' | 'hostServices'>;

/** Settings that tools read. */
export interface ToolOptions {
  readonly shellPath: string | undefined;
  /** Seconds; used when the model sets no timeout. */
  readonly bashTimeout: number | undefined;
}

export interface DelegatedCall {
  readonly tool: Tool;
  readonly input: Record<string, unknown>;
}

export interface Tool<P extends GenericSchema = GenericSchema> {
  readonly name: string;
  /** The description that is sent to the model. */
  readonly doc: string;
  /** One line for the list of tools in the system prompt. Empty: the tool is not in that list. */
  readonly snippet?: string;
  /** Added to the system prompt when this tool is active. */
  readonly guidelines?: readonly string[];
  readonly effect: 'read' | 'write' | 'execute';
  /** The tool starts subagents. Agents that may not start subagents do not get it. */
  readonly startsSubagents?: boolean;
  /** Milliseconds that a run waits for the result after an abort. 1000 when absent. */
  readonly abortGraceMs?: number;
  /** The tool sends UI requests to the host. Not available without a host UI, nor for subagents. */
  readonly asksHost?: boolean;
  /** How the tool uses the file of its `path` argument. Compactions list the read and modified files. */
  readonly fileAccess?: 'read' | 'modified';
  readonly params: P;
  /** JSON Schema of the arguments, when it is not generated from `params`. */
  readonly jsonSchema?: Record<string, unknown>;
  /** Asynchronous validation in addition to `params`. Returns the arguments, or throws a Fault that names one. */
  validateInput?(input: unknown): Promise<unknown>;
  run(params: InferOutput<P>, context: ToolContext): Promise<ToolResult>;
  /**
   * The tool and the arguments that a call of this tool stands for. Hooks, approval, validation and events then are those of that tool.
   * `args` are not validated. `undefined`: the call is run by `run`.
   */
  delegate?(args: Readonly<Record<string, unknown>>): DelegatedCall | undefined;
  /** What permission rules with a pattern compare. A tool without it is matched by its name, and by the `url` among its arguments. */
  listSubjects?(params: InferOutput<P>): readonly PermissionSubject[];
  /** The call runs outside the sandbox, so it always needs an approval. */
  isEscalated?(params: InferOutput<P>): boolean;
  /** The change that `run` would make, as numbered diff lines like `details.diff` of a result. Changes nothing; may throw. */
  previewDiff?(params: InferOutput<P>, context: PreviewContext): Promise<string | undefined>;
}

/** Declares a tool. The types of `run` are inferred from `params`. */
export function tool<P extends GenericSchema>(declaration: Tool<P>): Tool<P> {
  return declaration;
}
