// Schemas of the frames for tools that the host runs: calls, cancellations, updates and results.
import { boolean, type InferOutput, literal, object, optional, record, string, unknown } from 'valibot';

export const hostToolCall = object({
  type: literal('host_tool_call'),
  id: string(),
  toolCallId: string(),
  toolName: string(),
  arguments: record(string(), unknown()),
});

/** The run was aborted; a result for `targetId` is ignored. */
export const hostToolCancel = object({ type: literal('host_tool_cancel'), id: string(), targetId: string() });

/** The complete partial result so far, in the form of a tool result. */
export const hostToolUpdate = object({ type: literal('host_tool_update'), id: string(), partialResult: unknown() });

export const hostToolResult = object({
  type: literal('host_tool_result'),
  id: string(),
  result: unknown(),
  isError: optional(boolean()),
});

export type HostToolRequestFrame = InferOutput<typeof hostToolCall> | InferOutput<typeof hostToolCancel>;
export type HostToolResponseFrame = InferOutput<typeof hostToolUpdate> | InferOutput<typeof hostToolResult>;
