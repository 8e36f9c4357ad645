// Builds tool results for calls that failed or were aborted.
import type { ToolResult } from '../../contracts/index.ts';
import type { RunScope } from './run-scope.ts';

/** Names the budget if it is the cause: the wall-time limit stops a run through the same signal as an abort by the host. */
export function getAbortReason({ limits }: Pick<RunScope, 'limits'>): string {
  return limits.haltReason ?? 'Tool execution was aborted.';
}

export function createAbortedResult(scope: Pick<RunScope, 'limits'>): ToolResult {
  return createErrorResult(getAbortReason(scope));
}

export function createErrorResult(text: string, details: unknown = {}): ToolResult {
  return { content: [{ type: 'text', text }], details, isError: true };
}
