// Events of tool calls and of shell commands of the host.
import { array, boolean, number, object, optional, record, string, union, unknown } from 'valibot';
import { imageContent, textContent } from '../content.ts';
import { event } from '../event.ts';

const callFields = { toolCallId: string(), toolName: string() };
/** The arguments as the model sent them. */
const args = record(string(), unknown());
const toolResult = object({ content: array(union([textContent, imageContent])), details: optional(unknown()) });

export const toolExecutionStart = event('tool_execution_start', 'A tool call starts.', object({ ...callFields, args }));

export const toolExecutionUpdate = event(
  'tool_execution_update',
  'A tool is working. `partialResult` is everything so far, not the difference.',
  object({ ...callFields, args, partialResult: toolResult }),
  { durable: false },
);

export const toolExecutionEnd = event(
  'tool_execution_end',
  'A tool call has ended. `durationMs` is only sent in dialects that define it.',
  object({ ...callFields, result: toolResult, isError: boolean(), durationMs: optional(number()) }),
);

export const bashExecutionUpdate = event(
  'bash_execution_update',
  'New output of a `bash` command, in order. `id` is the id of the call. A host that reads too slowly misses some updates; the response contains the end of the output.',
  object({ id: optional(union([string(), number()])), delta: string() }),
  { durable: false },
);
