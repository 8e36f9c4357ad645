// First floor, core: the result of a call that did not work, in words that the model can act on.
import type { ToolResult } from '../../contracts/index.ts';

export function errorResult(text: string, details: unknown = {}): ToolResult {
  return { content: [{ type: 'text', text }], details, isError: true };
}
