// Events of a run and of its turns, and of what continues a run automatically: queued messages, retries, rules and reminders.
import { array, boolean, number, object, optional, string } from 'valibot';
import { event } from '../event.ts';
import { agentMessage, assistantMessage, toolResultMessage } from '../message.ts';
import { rule } from '../rule.ts';
import { todoItem } from '../todo.ts';

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

export const sessionSettled = event(
  'session_settled',
  'Sent after agent_settled and after the outcome of every prompt of the run, unless another prompt is about to start.',
  object({}),
  { stability: 'experimental' },
);

export const turnStart = event('turn_start', 'A turn starts: one answer of the model and its tool calls.', object({}));

export const turnEnd = event(
  'turn_end',
  'A turn has ended, with the answer of the model and the results of its tool calls.',
  object({ message: assistantMessage, toolResults: array(toolResultMessage) }),
);

export const queueUpdate = event(
  'queue_update',
  'The queued messages have changed. Contains the texts of both queues, oldest first.',
  object({ steering: array(string()), followUp: array(string()) }),
);

export const autoRetryStart = event(
  'auto_retry_start',
  'The provider failed with a temporary error. Another run starts automatically after `delayMs` milliseconds.',
  object({ attempt: number(), maxAttempts: number(), delayMs: number(), errorMessage: string() }),
);

export const autoRetryEnd = event(
  'auto_retry_end',
  'Retrying has ended: a request succeeded, all attempts failed, or the retry was cancelled.',
  object({ success: boolean(), attempt: number(), finalError: optional(string()) }),
);

export const ttsrTriggered = event(
  'ttsr_triggered',
  'The output of the model matched the trigger of one or more rules, and the request was aborted. The following agent_end has `willRetry: true`; another run starts automatically with a reminder of the rules.',
  object({ rules: array(rule) }),
);

export const todoReminder = event(
  'todo_reminder',
  'The model stopped with unfinished todo items. Another run starts automatically with a reminder of them.',
  object({ todos: array(todoItem), attempt: number(), maxAttempts: number() }),
);

export const skillLoaded = event(
  'skill_loaded',
  'A skill is used: the user invoked it by name, or the model has read its file.',
  object({ name: string(), description: string() }),
  { stability: 'experimental' },
);
