// Converts tool names to the form that every wire format accepts. Models and extensions can use other names.
import type { ApiRequest, ToolDefinition } from '../contracts/index.ts';
import { normalizeCallId } from './call-id.ts';

/** Same rule as for call ids: 1 to 64 letters, digits, `_` and `-`. Equal names give equal results. */
export const normalizeToolName: (name: string) => string = normalizeCallId;

export interface NormalizedTools {
  readonly request: ApiRequest;
  /** Name sent to the model → original tool name. Contains only names that differ. */
  readonly originalNames: ReadonlyMap<string, string>;
}

export function normalizeTools(request: ApiRequest): NormalizedTools {
  const changed = request.tools.filter(({ name }) => normalizeToolName(name) !== name);
  const names = new Map(changed.map(({ name }) => [normalizeToolName(name), name]));
  const normalize = (tool: ToolDefinition): ToolDefinition => ({ ...tool, name: normalizeToolName(tool.name) });
  return {
    request: changed.length === 0 ? request : { ...request, tools: request.tools.map(normalize) },
    originalNames: names,
  };
}
