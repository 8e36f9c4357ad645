// Events of a run and of its turns.
import { array, boolean, object } from 'valibot';
import { event } from '../event.ts';
import { agentMessage, assistantMessage, toolResultMessage } from '../message.ts';

export const agentStart = event('agent_start', 'A run starts: the agent begins to work on a prompt.', object({}));

export const agentEnd = event(
  'agent_end',
  'A run has ended. `messages` holds the messages of this run, not the whole history; `willRetry` is true when another run follows automatically.',
  object({ messages: array(agentMessage), willRetry: boolean() }),
);

export const agentSettled = event(
  'agent_settled',
  'Nothing automatic remains: no retry, no compaction, no queued continuation. The session waits for the host.',
  object({ aborted: boolean() }),
);

export const turnStart = event(
  'turn_start',
  'A turn starts: one response of the model and its tool calls.',
  object({}),
);

export const turnEnd = event(
  'turn_end',
  'A turn has ended, with the response of the model and the results of its tool calls.',
  object({ message: assistantMessage, toolResults: array(toolResultMessage) }),
);
