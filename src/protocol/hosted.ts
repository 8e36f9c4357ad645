// Ground floor: tools that live in the host: what it is asked to do, and what it says of it.
import { boolean, type InferOutput, literal, object, optional, record, string, unknown } from 'valibot';

export const hostToolCall = object({
  type: literal('host_tool_call'),
  id: string(),
  toolCallId: string(),
  toolName: string(),
  arguments: record(string(), unknown()),
});

/** The run was aborted: nobody waits for the result of `targetId` any more. */
export const hostToolCancel = object({ type: literal('host_tool_cancel'), id: string(), targetId: string() });

/** Everything so far, as a tool result. */
export const hostToolUpdate = object({ type: literal('host_tool_update'), id: string(), partialResult: unknown() });

export const hostToolResult = object({
  type: literal('host_tool_result'),
  id: string(),
  result: unknown(),
  isError: optional(boolean()),
});

export type HostToolFrame = InferOutput<typeof hostToolCall> | InferOutput<typeof hostToolCancel>;
export type HostToolNews = InferOutput<typeof hostToolUpdate> | InferOutput<typeof hostToolResult>;
