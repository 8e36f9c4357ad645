// Ground floor: a question to the host, and its answer. Who asks and how it is spelled is not known here.
import {
  array,
  boolean,
  type InferOutput,
  literal,
  number,
  object,
  optional,
  picklist,
  string,
  union,
  variant,
} from 'valibot';

const id = string();
const title = string();
/** Milliseconds after which we take the default ourselves. */
const timeout = optional(number());
/** The model asks, not code. */
const by = optional(literal('model'));

/** Questions wait for an answer; the rest is shown and forgotten. */
export const uiRequest = variant('method', [
  object({
    id,
    method: literal('select'),
    title,
    /** What is going to happen, when the choice is whether it may. */
    message: optional(string()),
    options: array(string()),
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
  /** Something for the person to open, and what to do there. */
  object({ id, method: literal('open_url'), url: string(), instructions: optional(string()) }),
  /** Nobody waits for the answer to that question any more. */
  object({ id, method: literal('cancel'), targetId: string() }),
]);

export const uiAnswer = union([
  object({ value: string() }),
  object({ confirmed: boolean() }),
  object({ cancelled: literal(true) }),
]);

export type UiRequest = InferOutput<typeof uiRequest>;
export type UiAnswer = InferOutput<typeof uiAnswer>;
