// First floor, core: a tool that an extension registered, as the model and the loop know tools.
import { type GenericSchema, pipe, rawCheck, transform, unknown } from 'valibot';
import { Fault, isRecord } from '../../base/index.ts';
import type { ExtensionTool, JsonSchema, Tool, ToolResult, TryPatterns } from '../../contracts/index.ts';
import { checkPatiently } from '../schema/expressions.ts';
import { checkJson } from '../schema/json-schema.ts';
import type { Extension } from './extension.ts';

/** The first to register a name has it. */
export function toolsOf(
  extensions: readonly Extension[],
  surroundings: (extension: Extension, signal: AbortSignal) => unknown,
  tryPatterns: TryPatterns,
): Tool[] {
  const named = new Map<string, Tool>();
  for (const extension of extensions) {
    for (const [name, tool] of extension.tools) {
      if (!named.has(name))
        named.set(
          name,
          toolOf(tool, (signal) => surroundings(extension, signal), tryPatterns),
        );
    }
  }
  return [...named.values()];
}

/** What a tool of an extension does to the world is not known, so the worst is assumed. */
function toolOf(
  definition: ExtensionTool,
  surroundings: (signal: AbortSignal) => unknown,
  tryPatterns: TryPatterns,
): Tool {
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
    ...(hasPattern(schema) ? { verify: (input) => verifyPatterns(schema, input, tryPatterns) } : {}),
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
      const checked = checkJson(schema, dataset.value, { root: schema, matches: later });
      if (!('problem' in checked)) return;
      const { path, message } = checked.problem;
      addIssue({ message, ...(path === '' ? {} : { path: [{ key: path } as never] }) });
    }),
    transform((value) => {
      const checked = checkJson(schema, value, { root: schema, matches: later });
      return 'value' in checked ? checked.value : value;
    }),
  );
}

/** A partial result ends nothing. */
function shownOf(partial: ToolResult): ToolResult {
  const { terminate: _, ...shown } = resultOf(partial);
  return shown;
}

/** Regular expressions are left to `verifyPatterns`: the model chooses the text, and one may take for ever on it. */
const later = () => true;

function hasPattern(schema: unknown): boolean {
  if (!isRecord(schema) && !Array.isArray(schema)) return false;
  return Object.entries(schema).some(
    ([key, inner]) => (key === 'pattern' && typeof inner === 'string') || hasPattern(inner),
  );
}

/** An expression that takes too long refuses the call: what it was to keep out is not known. */
async function verifyPatterns(schema: JsonSchema, input: unknown, tryPatterns: TryPatterns): Promise<void> {
  const lost: string[] = [];
  const checked = await checkPatiently(schema, input, {
    tryPatterns,
    lost: (expression) => void lost.push(expression),
  });
  if (lost.length > 0) {
    throw new Fault(
      'invalid_params',
      `the pattern ${lost[0]} takes too long to check. Use shorter or simpler arguments`,
    );
  }
  if (!('problem' in checked)) return;
  const { path, message } = checked.problem;
  throw new Fault('invalid_params', `${path || 'value'} ${message}`);
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
