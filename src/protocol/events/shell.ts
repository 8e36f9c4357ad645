// Event for the output of shell commands that the host runs.
import { number, object, optional, string, union } from 'valibot';
import { event } from '../event.ts';

export const bashExecutionUpdate = event(
  'bash_execution_update',
  'New output of a `bash` command, in order. `id` is the id of the call. A host that reads too slowly misses some updates; the response contains the end of the output.',
  object({ id: optional(union([string(), number()])), delta: string() }),
  { durable: false },
);
