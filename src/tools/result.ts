// Builds tool results and errors.
import { Fault, getErrorMessage } from '../base/index.ts';
import type { ToolResult } from '../contracts/index.ts';

/** Undefined details are omitted. A result without details has no `details` key. */
export function createTextResult(text: string, details: Record<string, unknown> = {}): ToolResult {
  const definedDetails = omitUndefined(details);
  return { content: [{ type: 'text', text }], ...(definedDetails && { details: definedDetails }) };
}

/** `undefined` when no value is defined. */
export function omitUndefined(details: Record<string, unknown>): Record<string, unknown> | undefined {
  const defined = Object.entries(details).filter(([, value]) => value !== undefined);
  return defined.length > 0 ? Object.fromEntries(defined) : undefined;
}

/** Appends the notices in one pair of brackets. */
export function appendNotices(text: string, notices: readonly string[]): string {
  return notices.length > 0 ? `${text}\n\n[${notices.join('. ')}]` : text;
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new Fault('aborted', 'Operation aborted');
}

/** Turns system errors into faults such as `Cannot read a.txt: EACCES: permission denied …`. */
export async function withErrorContext<T>(intent: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    throw new Fault('tool_failed', `${intent}: ${getErrorMessage(thrown)}`, { cause: thrown });
  }
}
