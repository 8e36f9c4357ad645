// Types of the extension API. They match pi's extension API, so that pi's extensions can be loaded.
import type { ImageContent, Model, TextContent, ThinkingLevel } from '../protocol/index.ts';
import type { AgentSession } from './agent-session.ts';
import type { Tool } from './tool.ts';

/** JSON Schema, as TypeBox and others write it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ExtensionToolResult {
  content: (TextContent | ImageContent)[];
  details?: unknown;
  isError?: boolean;
  /** Ends the run after this turn without another request, when all tool results of the turn set it. */
  terminate?: boolean;
}

export interface ExtensionTool {
  name: string;
  label?: string;
  description?: string;
  promptSnippet?: string;
  promptGuidelines?: readonly string[];
  parameters?: JsonSchema;
  execute(
    toolCallId: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
    onUpdate: (partial: ExtensionToolResult) => void,
    ctx: unknown,
  ): Promise<ExtensionToolResult> | ExtensionToolResult;
}

export interface ExtensionCommand {
  description?: string;
  handler(args: string, ctx: unknown): unknown;
}

export interface ExtensionFlag {
  description?: string;
  type?: 'boolean' | 'string';
  default?: boolean | string;
}

/** A provider in the form of models.json, or one with its own `streamSimple`. */
export interface ExtensionProvider extends Readonly<Record<string, unknown>> {
  /** Replaces the built-in API client of the provider. */
  streamSimple?(model: Model, context: unknown, options: unknown): AsyncIterable<unknown>;
}

export type ExtensionHandler = (event: unknown, ctx: unknown) => unknown;

/** Called once with the API object, on which the extension registers its tools, commands and handlers. */
export type ExtensionFactory = (api: never) => unknown;

export interface ExtensionSource {
  /** The path that is shown to users. */
  readonly path: string;
  readonly location: 'user' | 'project' | 'path';
  /** The directory of the package that the file is part of. */
  readonly baseDir?: string | undefined;
  /** Rejects when the file cannot be read or does not export a factory. */
  load(): Promise<ExtensionFactory>;
}

/** What an extension decides about the project. Without `remember` it applies to this process only. */
export interface ExtensionTrustDecision {
  readonly trusted: boolean;
  readonly remember: boolean;
}

/** A session that an extension opens. It is not stored and has no extensions. */
export interface InnerSessionRequest {
  /** Default: the directory of the agent. The project of another directory is not trusted. */
  readonly cwd?: string | undefined;
  /** Default: the current model of the agent. */
  readonly model?: Model | undefined;
  readonly thinkingLevel?: ThinkingLevel | undefined;
  /** Names of the tools that the model may use. Default: those of a new session. */
  readonly toolNames?: string[] | undefined;
  readonly excludedTools?: string[] | undefined;
  readonly noBuiltinTools?: boolean | undefined;
  readonly tools: readonly Tool[];
  readonly systemPrompt?: string | undefined;
  readonly appendSystemPrompt?: string | undefined;
  readonly noSkills?: boolean | undefined;
  readonly skillPaths?: string[] | undefined;
  readonly noTemplates?: boolean | undefined;
  readonly templatePaths?: string[] | undefined;
  readonly noContextFiles?: boolean | undefined;
}

export type OpenInnerSession = (request: InnerSessionRequest) => Promise<AgentSession>;
