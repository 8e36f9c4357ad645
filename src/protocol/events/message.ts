// Events of one message.
import { object } from 'valibot';
import { event } from '../event.ts';
import { agentMessage, assistantMessage } from '../message.ts';
import { streamEvent } from '../stream-event.ts';

export const messageStart = event(
  'message_start',
  'A message starts. An assistant message starts empty.',
  object({ message: agentMessage }),
);

export const messageUpdate = event(
  'message_update',
  'An assistant message grew. `message` and `partial` hold all of it so far; with `--stream delta` both are left out. The values of an end event (`content`, `toolCall`) are final and replace the deltas before it, because a provider may correct what it streamed.',
  object({ message: assistantMessage, assistantMessageEvent: streamEvent }),
  { durable: false },
);

export const messageEnd = event(
  'message_end',
  'A message is complete. It is on disk, unless the session is not persisted.',
  object({ message: agentMessage }),
);
