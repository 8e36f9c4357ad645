// Events of rules, todo reminders and skills.
import { array, number, object, string } from 'valibot';
import { event } from '../event.ts';
import { rule } from '../rule.ts';
import { todoItem } from '../todo.ts';

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
