// Schemas of the frames for tools and URIs of the host: requests, cancellations, updates and results.
import {
  array,
  boolean,
  type InferOutput,
  literal,
  object,
  optional,
  picklist,
  record,
  string,
  unknown,
} from 'valibot';

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

/** A URI scheme that the host resolves, such as `db` for db://users/1. */
export const hostUriScheme = object({
  scheme: string(),
  description: optional(string()),
  /** The write tool may write URIs of this scheme. */
  writable: optional(boolean()),
  immutable: optional(boolean()),
});

/** The agent reads or writes a URI of a scheme that the host has registered. */
export const hostUriRequest = object({
  type: literal('host_uri_request'),
  id: string(),
  operation: picklist(['read', 'write']),
  url: string(),
  /** Present for `write`. */
  content: optional(string()),
});

/** The run was aborted; a result for `targetId` is ignored. */
export const hostUriCancel = object({ type: literal('host_uri_cancel'), id: string(), targetId: string() });

export const hostUriResult = object({
  type: literal('host_uri_result'),
  id: string(),
  /** Required when a `read` succeeds. */
  content: optional(string()),
  contentType: optional(string()),
  /** Shown to the model after the content. */
  notes: optional(array(string())),
  immutable: optional(boolean()),
  isError: optional(boolean()),
  error: optional(string()),
});

export type HostUriResult = InferOutput<typeof hostUriResult>;

export type HostRequestFrame =
  | InferOutput<typeof hostToolCall>
  | InferOutput<typeof hostToolCancel>
  | InferOutput<typeof hostUriRequest>
  | InferOutput<typeof hostUriCancel>;
export type HostToolResponseFrame = InferOutput<typeof hostToolUpdate> | InferOutput<typeof hostToolResult>;
/** The fields are validated by the pending request. */
export type HostResponseFrame = HostToolResponseFrame | HostUriResult;
