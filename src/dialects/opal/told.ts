// First floor, dialects: every event and every question of Opal, declared once: documents and hosts' types follow from it.
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

interface Declared {
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
const call = { tool: string(), call_id: string() };
const result = union([
  object({ ok: literal(true), output: unknown(), meta: optional(record(string(), unknown())) }),
  object({ ok: literal(false), error: string() }),
]);

/** By their types. Each is the params of an `agent/event`, beside the `session_id`. */
export const OPAL_EVENTS = {
  message_applied: { doc: 'What the user said is part of the conversation now.', fields: { text: string() } },
  message_queued: { doc: 'What the user said waits for the run that is going.', fields: { text: string() } },
  agent_start: { doc: 'A run begins. What is tried again is one run.', fields: {} },
  message_start: { doc: 'An answer of the model begins.', fields: {} },
  message_delta: { doc: 'More of its text.', fields: { delta: string() } },
  thinking_start: { doc: 'The model begins to think.', fields: {} },
  thinking_delta: { doc: 'More of its thoughts.', fields: { delta: string() } },
  tool_execution_start: {
    doc: 'A tool begins. `meta` is a short summary for a display.',
    fields: { ...call, args: record(string(), unknown()), meta: string() },
  },
  tool_output: { doc: 'What a tool has written since the last one.', fields: { ...call, chunk: string() } },
  tool_execution_end: {
    doc: 'A tool is over. `output` is a text, or an object whose `kind` says what can be drawn from it; `meta` has the details.',
    fields: { ...call, result },
  },
  turn_end: {
    doc: 'An answer is complete and the run goes on: tools follow, or words that waited.',
    fields: { message: string() },
  },
  usage_update: { doc: 'What the session has used so far.', fields: { usage } },
  status_update: { doc: 'What is going on, in a few words.', fields: { message: string() } },
  agent_end: { doc: 'The run is over, and nothing automatic follows.', fields: { usage } },
  agent_abort: { doc: 'The run was stopped; also told when there was none.', fields: {} },
  error: { doc: 'The run failed, in the place of agent_end.', fields: { reason: string() } },
  context_discovered: { doc: 'The project’s notes that the model is given.', fields: { files: array(string()) } },
  skill_loaded: { doc: 'A skill is taken up.', fields: { name: string(), description: string() } },
  sub_agent_event: {
    doc: 'An event of a subagent: first `sub_agent_start`, then all of its own, last `agent_end`.',
    fields: {
      parent_call_id: string(),
      sub_session_id: string(),
      inner: objectWithRest({ type: string() }, unknown()),
    },
  },
  agent_recovered: { doc: 'The session was there before, and goes on.', fields: {} },
} as const satisfies Readonly<Record<string, Declared>>;

export type OpalEventType = keyof typeof OPAL_EVENTS;

interface Question {
  readonly doc: string;
  readonly params: ObjectEntries;
  readonly result: ObjectEntries;
}

const session_id = string();

/** What the host is asked. */
export const OPAL_QUESTIONS = {
  'client/confirm': {
    doc: 'May this happen? The answer is one of the actions; none within 30 seconds is a no, where a tool wants to act.',
    params: { session_id, title: string(), message: string(), actions: array(string()) },
    result: { action: string() },
  },
  'client/input': {
    doc: 'A text, for an extension.',
    params: { session_id, prompt: string(), sensitive: boolean() },
    result: { text: string() },
  },
  'client/ask_user': {
    doc: 'A question, of the model or of an extension. Without choices any text will do.',
    params: { session_id, question: string(), choices: array(string()) },
    result: { answer: string() },
  },
} as const satisfies Readonly<Record<string, Question>>;

export type OpalQuestion = keyof typeof OPAL_QUESTIONS;
