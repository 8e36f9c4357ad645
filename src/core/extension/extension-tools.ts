// Adapts tools registered by extensions to the Tool interface.
import { unknown } from 'valibot';
import { isRecord } from '../../base/index.ts';
import type { ExtensionTool, JsonSchema, TestPatterns, Tool, ToolResult } from '../../contracts/index.ts';
import { checkArguments } from '../../support/json-schema/check-arguments.ts';
import type { Extension } from './extension.ts';

/** When two extensions register the same name, the first one wins. */
export function createExtensionTools(
  extensions: readonly Extension[],
  createContext: (extension: Extension, signal: AbortSignal) => unknown,
  testPatterns: TestPatterns,
): Tool[] {
  const toolsByName = new Map<string, Tool>();
  for (const extension of extensions) {
    for (const [name, tool] of extension.tools) {
      if (!toolsByName.has(name))
        toolsByName.set(
          name,
          createExtensionTool(tool, (signal) => createContext(extension, signal), testPatterns),
        );
    }
  }
  return [...toolsByName.values()];
}

/** The effect of an extension's tool is unknown, so it counts as `execute`. */
export function createExtensionTool(
  definition: ExtensionTool,
  createContext: (signal: AbortSignal) => unknown,
  testPatterns: TestPatterns,
): Tool {
  const { name, description = '', label, promptSnippet, promptGuidelines } = definition;
  const schema = { type: 'object', properties: {}, ...stripSymbols(definition.parameters) };
  return {
    name,
    doc: description || label || name,
    ...(promptSnippet === undefined ? {} : { snippet: promptSnippet }),
    ...(promptGuidelines === undefined ? {} : { guidelines: promptGuidelines }),
    effect: 'execute',
    params: unknown(),
    jsonSchema: schema,
    validateInput: (input) => checkArguments(schema, input, testPatterns),
    async run(params, { toolCallId, signal, update }) {
      const sendUpdate = (partial: ToolResult) => update(toPartialResult(partial));
      const input = params as Record<string, unknown>;
      return toToolResult(await definition.execute(toolCallId, input, signal, sendUpdate, createContext(signal)));
    },
  };
}

/** Removes the symbol properties that TypeBox adds to schemas. */
function stripSymbols(schema: JsonSchema | undefined): JsonSchema {
  return schema === undefined ? {} : (JSON.parse(JSON.stringify(schema)) as JsonSchema);
}

/** A partial result must not end the run, so `terminate` is dropped. */
function toPartialResult(partial: ToolResult): ToolResult {
  const { terminate: _, ...result } = toToolResult(partial);
  return result;
}

/** Converts any returned value to content that the model can read. */
function toToolResult(result: unknown): ToolResult {
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }] };
  if (!isRecord(result))
    return { content: [{ type: 'text', text: result === undefined ? '' : JSON.stringify(result) }] };
  const { content, details, isError, terminate } = result as unknown as ToolResult;
  return {
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [],
    ...(details === undefined ? {} : { details }),
    ...(isError === true ? { isError } : {}),
    ...(terminate === true ? { terminate } : {}),
  };
}
