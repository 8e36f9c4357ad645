// Schemas of the Opal events and of the requests to the client. The documentation and the client types are generated from them.
import {
  array,
  boolean,
  literal,
  number,
  type ObjectEntries,
  object,
  objectWithRest,
  optional,
  record,
  string,
  union,
  unknown,
} from 'valibot';

interface EventSchema {
  readonly doc: string;
  readonly fields: ObjectEntries;
}

const usage = object({
  prompt_tokens: number(),
  completion_tokens: number(),
  total_tokens: number(),
  context_window: number(),
  current_context_tokens: number(),
});
const toolCallFields = { tool: string(), call_id: string() };
const toolResult = union([
  object({ ok: literal(true), output: unknown(), meta: optional(record(string(), unknown())) }),
  object({ ok: literal(false), error: string() }),
]);

/** By type. The fields are params of an `agent/event` notification, next to `session_id`. */
export const OPAL_EVENTS = {
  message_applied: { doc: 'The user message was added to the conversation.', fields: { text: string() } },
  message_queued: { doc: 'The user message is queued until the current run takes it.', fields: { text: string() } },
  agent_start: { doc: 'A run starts. Automatic retries belong to the same run.', fields: {} },
  message_start: { doc: 'An assistant message starts.', fields: {} },
  message_delta: { doc: 'New text of the assistant message.', fields: { delta: string() } },
  thinking_start: { doc: 'Thinking starts.', fields: {} },
  thinking_delta: { doc: 'New thinking text.', fields: { delta: string() } },
  tool_execution_start: {
    doc: 'A tool call starts. `meta` is a short summary to display.',
    fields: { ...toolCallFields, args: record(string(), unknown()), meta: string() },
  },
  tool_output: {
    doc: 'Output of a tool since the previous `tool_output`.',
    fields: { ...toolCallFields, chunk: string() },
  },
  tool_execution_end: {
    doc: 'A tool call ended. `output` is a text, or an object whose `kind` tells how to render it; `meta` has the details.',
    fields: { ...toolCallFields, result: toolResult },
  },
  turn_end: {
    doc: 'An assistant message is complete and the run continues with tool calls or queued messages.',
    fields: { message: string() },
  },
  usage_update: { doc: 'Token usage of the session so far.', fields: { usage } },
  status_update: { doc: 'A short status text.', fields: { message: string() } },
  agent_end: { doc: 'The run ended and no automatic retry or continuation follows.', fields: { usage } },
  agent_abort: { doc: 'The run was aborted. Also sent when no run was active.', fields: {} },
  error: { doc: 'The run failed. Sent instead of agent_end.', fields: { reason: string() } },
  context_discovered: {
    doc: 'The context files of the project that the model is given.',
    fields: { files: array(string()) },
  },
  skill_loaded: { doc: 'A skill was loaded.', fields: { name: string(), description: string() } },
  sub_agent_event: {
    doc: 'An event of a subagent: `sub_agent_start` first, then its own events, `agent_end` last.',
    fields: {
      parent_call_id: string(),
      sub_session_id: string(),
      inner: objectWithRest({ type: string() }, unknown()),
    },
  },
  client_request_cancelled: {
    doc: 'The request `request_id` to the host (such as `s2c-1`) is withdrawn: the run was aborted, or an approval was not given in time. An answer is ignored.',
    fields: { request_id: string() },
  },
  agent_recovered: { doc: 'An existing session was resumed.', fields: {} },
} as const satisfies Readonly<Record<string, EventSchema>>;

export type OpalEventType = keyof typeof OPAL_EVENTS;

interface ClientMethodSchema {
  readonly doc: string;
  readonly params: ObjectEntries;
  readonly result: ObjectEntries;
}

const session_id = string();

/** Requests that the agent sends to the host. */
export const OPAL_CLIENT_METHODS = {
  'client/confirm': {
    doc: 'Ask for permission. The answer is one of `actions`. For a tool call, no answer within 30 seconds means deny. The `message` of an answer that denies a tool call is sent to the model.',
    params: { session_id, title: string(), message: string(), actions: array(string()) },
    result: { action: string(), message: optional(string()) },
  },
  'client/input': {
    doc: 'Ask for a text on behalf of an extension.',
    params: { session_id, prompt: string(), sensitive: boolean() },
    result: { text: string() },
  },
  'client/ask_user': {
    doc: 'A question from the model or an extension. Without choices any text is accepted.',
    params: { session_id, question: string(), choices: array(string()) },
    result: { answer: string() },
  },
} as const satisfies Readonly<Record<string, ClientMethodSchema>>;

export type OpalClientMethod = keyof typeof OPAL_CLIENT_METHODS;
