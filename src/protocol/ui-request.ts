// Schemas of UI requests to the host and of their answers.
import {
  array,
  boolean,
  type InferOutput,
  literal,
  number,
  object,
  optional,
  picklist,
  record,
  string,
  union,
  unknown,
  variant,
} from 'valibot';

const id = string();
const title = string();
/** Milliseconds after which the agent uses the default answer. */
const timeout = optional(number());
/** Set when the model asked the question with a tool; absent when an extension or the agent asks. */
const by = optional(literal('model'));

/** The tool call to approve. `args` are those that the tool gets: an extension may have changed those of the model. */
const callToApprove = object({
  toolCallId: string(),
  toolName: string(),
  args: record(string(), unknown()),
  /** The directory in which the tool runs. */
  cwd: string(),
  /** The change to a file, as numbered diff lines. Absent when the tool changes no file, or the change is unknown. */
  diff: optional(string()),
  /** The permission rules that the answer `allow_always` adds to the user's settings. Absent when it is not offered. */
  rules: optional(array(string())),
  /** What the answer `allow_session` allows, for its label. Absent when it is not offered. */
  sessionScope: optional(string()),
  /** Why the call needs an approval, when a rule or the call itself is the cause. */
  reason: optional(string()),
});

/** `select`, `confirm`, `input` and `editor` wait for an answer; the other methods only display something. */
export const uiRequest = variant('method', [
  object({
    id,
    method: literal('select'),
    title,
    /** The action to approve, when the request asks for permission. */
    message: optional(string()),
    options: array(string()),
    /** Set when the request asks for the approval of a tool call. */
    toolCall: optional(callToApprove),
    by,
    timeout,
  }),
  object({ id, method: literal('confirm'), title, message: string(), timeout }),
  object({ id, method: literal('input'), title, placeholder: optional(string()), by, timeout }),
  object({ id, method: literal('editor'), title, prefill: optional(string()) }),
  object({
    id,
    method: literal('notify'),
    message: string(),
    notifyType: optional(picklist(['info', 'warning', 'error'])),
  }),
  object({ id, method: literal('setStatus'), statusKey: string(), statusText: optional(string()) }),
  object({
    id,
    method: literal('setWidget'),
    widgetKey: string(),
    widgetLines: optional(array(string())),
    widgetPlacement: optional(string()),
  }),
  object({ id, method: literal('setTitle'), title }),
  object({ id, method: literal('set_editor_text'), text: string() }),
  /** A URL for the user to open, with instructions. */
  object({ id, method: literal('open_url'), url: string(), instructions: optional(string()) }),
  /**
   * Withdraws the request `targetId`; an answer to it is ignored. `timedOut`: it was not answered in time. `answeredBy`: another
   * client of the server has answered it.
   */
  object({
    id,
    method: literal('cancel'),
    targetId: string(),
    timedOut: optional(literal(true)),
    answeredBy: optional(string()),
  }),
]);

export const uiAnswer = union([
  /** `message` is for the model, when the answer denies a tool call. */
  object({ value: string(), message: optional(string()) }),
  object({ confirmed: boolean() }),
  /** `timedOut`: the host has closed the dialog because the user did not answer it in time. */
  object({ cancelled: literal(true), timedOut: optional(boolean()) }),
]);

export type UiRequest = InferOutput<typeof uiRequest>;
export type UiAnswer = InferOutput<typeof uiAnswer>;
