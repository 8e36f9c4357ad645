// Validates the result of a host tool.
import { array, object, optional, safeParse, string, union, unknown } from 'valibot';
import { describeType, Fault } from '../base/index.ts';
import type { ToolResult } from '../contracts/index.ts';
import { incomingImage, textContent } from '../protocol/index.ts';

const resultSchema = union([
  string(),
  object({ content: array(union([textContent, incomingImage])), details: optional(unknown()) }),
]);

/** Accepts an object with content blocks, or a string. */
export function parseHostToolResult(value: unknown): ToolResult {
  const { success, output } = safeParse(resultSchema, value);
  if (!success) {
    throw new Fault('tool_failed', `The host gave no tool result with content (got ${describeType(value)})`);
  }
  return typeof output === 'string' ? { content: [{ type: 'text', text: output }] } : (output as ToolResult);
}
