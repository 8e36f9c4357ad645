// Ground floor: the events of an agent that is held to what it was told.
import { array, number, object, string } from 'valibot';
import { event } from '../event.ts';
import { rule } from '../rule.ts';
import { todoItem } from '../todo.ts';

export const ttsrTriggered = event(
  'ttsr_triggered',
  'The answer broke rules and is aborted. The agent_end that follows says `willRetry`; another run begins by itself, with a reminder of the rules.',
  object({ rules: array(rule) }),
);

export const todoReminder = event(
  'todo_reminder',
  'The model stopped with things left to do. Another run begins by itself, with a reminder of them.',
  object({ todos: array(todoItem), attempt: number(), maxAttempts: number() }),
);

export const skillLoaded = event(
  'skill_loaded',
  'A skill is taken up: a person called it by name, or the model has read it.',
  object({ name: string(), description: string() }),
  { stability: 'experimental' },
);
