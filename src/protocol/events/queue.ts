// Event for changes of the steering and follow-up queues.
import { array, object, string } from 'valibot';
import { event } from '../event.ts';

export const queueUpdate = event(
  'queue_update',
  'The queued messages have changed. Contains the texts of both queues, oldest first.',
  object({ steering: array(string()), followUp: array(string()) }),
);
