// First floor, core: the result of a call that did not work, in words that the model can act on.
import type { ToolResult } from '../../contracts/index.ts';
import type { RunScope } from './scope.ts';

/** Names the budget where it is the cause: wall time ends a run in the same way as the host's abort. */
export function abortReason({ limits }: Pick<RunScope, 'limits'>): string {
  return limits.halted ?? 'Tool execution was aborted.';
}

export function abortedResult(scope: Pick<RunScope, 'limits'>): ToolResult {
  return errorResult(abortReason(scope));
}

export function errorResult(text: string, details: unknown = {}): ToolResult {
  return { content: [{ type: 'text', text }], details, isError: true };
}
