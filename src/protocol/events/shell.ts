// Ground floor: the events of commands that the host runs itself.
import { number, object, optional, string, union } from 'valibot';
import { event } from '../event.ts';

export const bashExecutionUpdate = event(
  'bash_execution_update',
  'A command of `bash` said something: what is new, in order. `id` is that of the call. A host that does not keep up misses some; the response has the end of it all.',
  object({ id: optional(union([string(), number()])), delta: string() }),
  { durable: false },
);
