// Ground floor: what code of others hands in when it is loaded. The shapes are those of pi's extensions, so that these load here.
import type { ImageContent, Model, TextContent } from '../protocol/index.ts';

/** JSON Schema, as TypeBox and others write it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a tool of an extension gives back. */
export interface ExtensionToolResult {
  content: (TextContent | ImageContent)[];
  details?: unknown;
  isError?: boolean;
  /** The run ends after this turn without another request, when every result of the turn says so. */
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

/** A provider as models.json would describe it, or one that answers by itself. */
export interface ExtensionProvider extends Readonly<Record<string, unknown>> {
  /** Answers in the place of a wire format. */
  streamSimple?(model: Model, context: unknown, options: unknown): AsyncIterable<unknown>;
}

export type ExtensionHandler = (event: unknown, ctx: unknown) => unknown;

/** Called once with the API object; what it registers is what the extension is. */
export type ExtensionFactory = (api: never) => unknown;

export interface ExtensionSource {
  /** As it is shown to people. */
  readonly path: string;
  readonly location: 'user' | 'project' | 'path';
  /** Rejects when the file cannot be read, or holds no factory. */
  open(): Promise<ExtensionFactory>;
}
