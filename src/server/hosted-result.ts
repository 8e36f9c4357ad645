// First floor, server: what a host says that its tool did, made sound. Pure.
import { array, object, optional, safeParse, string, union, unknown } from 'valibot';
import { Fault, kindOf } from '../base/index.ts';
import type { ToolResult } from '../contracts/index.ts';
import { incomingImage, textContent } from '../protocol/index.ts';

const shape = union([
  string(),
  object({ content: array(union([textContent, incomingImage])), details: optional(unknown()) }),
]);

/** A plain string will do. */
export function hostedResult(said: unknown): ToolResult {
  const { success, output } = safeParse(shape, said);
  if (!success) {
    throw new Fault('tool_failed', `The host gave no tool result with content (got ${kindOf(said)})`);
  }
  return typeof output === 'string' ? { content: [{ type: 'text', text: output }] } : (output as ToolResult);
}
