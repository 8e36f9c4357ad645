// Tool names as every format accepts them. Names that models make up, and those of some extensions, are not. Pure.
import type { ApiRequest, ToolOffer } from '../contracts/index.ts';
import { callId } from './call-id.ts';

/** The rule for names is that of ids: 1 to 64 letters, digits, `_` and `-`. The same name always becomes the same other one. */
export const legalToolName: (name: string) => string = callId;

export interface LegalTools {
  readonly request: ApiRequest;
  /** What the model is told → what the tool is called. Only names that differ. */
  readonly names: ReadonlyMap<string, string>;
}

export function withLegalTools(request: ApiRequest): LegalTools {
  const changed = request.tools.filter(({ name }) => legalToolName(name) !== name);
  const names = new Map(changed.map(({ name }) => [legalToolName(name), name]));
  const legal = (tool: ToolOffer): ToolOffer => ({ ...tool, name: legalToolName(tool.name) });
  return { request: changed.length === 0 ? request : { ...request, tools: request.tools.map(legal) }, names };
}
