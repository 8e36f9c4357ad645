// Events for budget limits.
import { object } from 'valibot';
import { budgetScope, budgetSnapshot } from '../budget.ts';
import { event } from '../event.ts';

const budgetFields = object({ scope: budgetScope, snapshot: budgetSnapshot });

export const budgetWarning = event(
  'budget_warning',
  'A budget limit is nearly reached. Sent once for each dimension, at `task.budget.warnAtRatio` of its limit.',
  budgetFields,
);

export const budgetExceeded = event(
  'budget_exceeded',
  'A budget limit is reached. Sent once for each scope: the session accepts no more prompts, a call of the task tool starts no more subagents, or a subagent is stopped.',
  budgetFields,
);
