// First floor, tools: how a tool answers. Knows the shape of a result, not what any tool does.
import { Fault, messageOf } from '../base/index.ts';
import type { ToolResult } from '../contracts/index.ts';

/** A text answer. Facts that are `undefined` are left out, and a result without facts has no `details` key. */
export function textResult(text: string, details: Record<string, unknown> = {}): ToolResult {
  const facts = knownFacts(details);
  return { content: [{ type: 'text', text }], ...(facts && { details: facts }) };
}

/** The facts that are there, or `undefined` when none is. */
export function knownFacts(details: Record<string, unknown>): Record<string, unknown> | undefined {
  const known = Object.entries(details).filter(([, value]) => value !== undefined);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** Remarks about what was left out, in one bracket after the text. */
export function withNotices(text: string, notices: readonly string[]): string {
  return notices.length > 0 ? `${text}\n\n[${notices.join('. ')}]` : text;
}

export function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new Fault('aborted', 'Operation aborted');
}

/** Runs `work`; what the system refuses becomes a sentence: `Cannot read a.txt: EACCES: permission denied …`. */
export async function orExplain<T>(intent: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    throw new Fault('tool_failed', `${intent}: ${messageOf(thrown)}`, { cause: thrown });
  }
}
