// First floor, core: a tool that an extension registered, as the model and the loop know tools.
import { type GenericSchema, pipe, rawCheck, transform, unknown } from 'valibot';
import { isRecord } from '../../base/index.ts';
import type { ExtensionTool, JsonSchema, Tool, ToolResult } from '../../contracts/index.ts';
import { checkJson } from '../schema/json-schema.ts';
import type { Extension } from './extension.ts';

/** The first to register a name has it. */
export function toolsOf(
  extensions: readonly Extension[],
  surroundings: (extension: Extension, signal: AbortSignal) => unknown,
): Tool[] {
  const named = new Map<string, Tool>();
  for (const extension of extensions) {
    for (const [name, tool] of extension.tools) {
      if (!named.has(name))
        named.set(
          name,
          toolOf(tool, (signal) => surroundings(extension, signal)),
        );
    }
  }
  return [...named.values()];
}

/** What a tool of an extension does to the world is not known, so the worst is assumed. */
function toolOf(definition: ExtensionTool, surroundings: (signal: AbortSignal) => unknown): Tool {
  const { name, description = '', label, promptSnippet, promptGuidelines } = definition;
  const schema = { type: 'object', properties: {}, ...plain(definition.parameters) };
  return {
    name,
    doc: description || label || name,
    ...(promptSnippet === undefined ? {} : { snippet: promptSnippet }),
    ...(promptGuidelines === undefined ? {} : { guidelines: promptGuidelines }),
    effect: 'execute',
    params: paramsOf(schema),
    parameters: schema,
    async run(params, { toolCallId, signal, update }) {
      const shown = (partial: ToolResult) => update(shownOf(partial));
      const input = params as Record<string, unknown>;
      return resultOf(await definition.execute(toolCallId, input, signal, shown, surroundings(signal)));
    },
  };
}

/** Without the marks that TypeBox leaves for itself. */
function plain(schema: JsonSchema | undefined): JsonSchema {
  return schema === undefined ? {} : (JSON.parse(JSON.stringify(schema)) as JsonSchema);
}

function paramsOf(schema: JsonSchema): GenericSchema {
  return pipe(
    unknown(),
    rawCheck(({ dataset, addIssue }) => {
      const checked = checkJson(schema, dataset.value);
      if (!('problem' in checked)) return;
      const { path, message } = checked.problem;
      addIssue({ message, ...(path === '' ? {} : { path: [{ key: path } as never] }) });
    }),
    transform((value) => {
      const checked = checkJson(schema, value);
      return 'value' in checked ? checked.value : value;
    }),
  );
}

/** A partial result ends nothing. */
function shownOf(partial: ToolResult): ToolResult {
  const { terminate: _, ...shown } = resultOf(partial);
  return shown;
}

/** Whatever came back, as something that the model can read. */
function resultOf(result: unknown): ToolResult {
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
