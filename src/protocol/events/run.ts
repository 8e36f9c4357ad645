// Ground floor: the events of a run and of its turns.
import { array, boolean, object } from 'valibot';
import { event } from '../event.ts';
import { agentMessage, assistantMessage, toolResultMessage } from '../message.ts';

export const agentStart = event('agent_start', 'The agent begins to work on a prompt.', object({}));

export const agentEnd = event(
  'agent_end',
  'A run is over. `messages` holds what this run made, not the history; `willRetry` says that another run follows by itself.',
  object({ messages: array(agentMessage), willRetry: boolean() }),
);

export const agentSettled = event(
  'agent_settled',
  'Nothing automatic remains: no retry, no compaction, no queued continuation. The session waits for the host.',
  object({ aborted: boolean() }),
);

export const turnStart = event('turn_start', 'A turn begins: one model answer and its tool calls.', object({}));

export const turnEnd = event(
  'turn_end',
  'A turn is over, with the answer and the results of its tool calls.',
  object({ message: assistantMessage, toolResults: array(toolResultMessage) }),
);
