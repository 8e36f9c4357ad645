// Ground floor: the events of messages that wait for the model.
import { array, object, string } from 'valibot';
import { event } from '../event.ts';

export const queueUpdate = event(
  'queue_update',
  'What waits for the model has changed: the texts of both queues, oldest first.',
  object({ steering: array(string()), followUp: array(string()) }),
);
