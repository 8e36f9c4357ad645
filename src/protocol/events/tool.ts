// Ground floor: the events of one tool call.
import { array, boolean, number, object, optional, record, string, union, unknown } from 'valibot';
import { imageContent, textContent } from '../content.ts';
import { event } from '../event.ts';

const call = { toolCallId: string(), toolName: string() };
/** The arguments as the model gave them. */
const args = record(string(), unknown());
const toolResult = object({ content: array(union([textContent, imageContent])), details: optional(unknown()) });

export const toolExecutionStart = event('tool_execution_start', 'A tool begins.', object({ ...call, args }));

export const toolExecutionUpdate = event(
  'tool_execution_update',
  'A tool is working. `partialResult` is everything so far, not the difference.',
  object({ ...call, args, partialResult: toolResult }),
  { durable: false },
);

export const toolExecutionEnd = event(
  'tool_execution_end',
  'A tool is done. `durationMs` is told in the dialects that have a word for it.',
  object({ ...call, result: toolResult, isError: boolean(), durationMs: optional(number()) }),
);
