// Ground floor: the events of one message.
import { object } from 'valibot';
import { event } from '../event.ts';
import { agentMessage, assistantMessage } from '../message.ts';
import { streamEvent } from '../stream.ts';

export const messageStart = event(
  'message_start',
  'A message begins. An assistant message begins empty.',
  object({ message: agentMessage }),
);

export const messageUpdate = event(
  'message_update',
  'An assistant message grew. `message` and `partial` hold all of it so far; with `--stream delta` both are left out. What an end event says (`content`, `toolCall`) is final and stands in place of the deltas before it: a provider may correct what it streamed.',
  object({ message: assistantMessage, assistantMessageEvent: streamEvent }),
  { durable: false },
);

export const messageEnd = event(
  'message_end',
  'A message is complete, and on disk unless the session is not kept.',
  object({ message: agentMessage }),
);
