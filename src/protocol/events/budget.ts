// Ground floor: the events of a budget that runs out.
import { object } from 'valibot';
import { budgetScope, budgetSnapshot } from '../budget.ts';
import { event } from '../event.ts';

const fields = object({ scope: budgetScope, snapshot: budgetSnapshot });

export const budgetWarning = event(
  'budget_warning',
  'Much of a limit is used up. Once for each dimension, at `task.budget.warnAtRatio` of its limit.',
  fields,
);

export const budgetExceeded = event(
  'budget_exceeded',
  'A limit is reached. Once for each scope: the session takes no more prompts, a call of the task tool starts no more subagents, a subagent is stopped.',
  fields,
);
