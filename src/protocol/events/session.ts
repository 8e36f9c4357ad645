// Events of the session: changed settings, budget, notices and failures of extensions.
import { array, nullable, number, object, omit, optional, picklist, string } from 'valibot';
import { budgetScope, budgetSnapshot } from '../budget.ts';
import { event } from '../event.ts';
import { thinkingLevel } from '../model.ts';
import { sessionState } from '../session-state.ts';
import { slashCommandEntry } from '../slash-command-entry.ts';

export const sessionInfoChanged = event(
  'session_info_changed',
  'The display name of the session has changed.',
  object({ name: string() }),
);

export const thinkingLevelChanged = event(
  'thinking_level_changed',
  'The thinking level has changed, from the next request on: it was set, or the new model does not support the previous level.',
  object({ level: thinkingLevel }),
);

export const availableCommandsUpdate = event(
  'available_commands_update',
  'The slash commands may have changed: extensions were reloaded, or the project is trusted now. The same list as that of get_available_commands, which hosts call first.',
  object({ commands: array(slashCommandEntry) }),
  { stability: 'experimental' },
);

export const stateChanged = event(
  'state_changed',
  'A command of some client has changed the state of the session: its model, a mode, its name. Sent only to clients of a server.',
  object({ state: omit(sessionState, ['todoPhases']) }),
  { stability: 'experimental' },
);

export const conversationChanged = event(
  'conversation_changed',
  'The path of the conversation was replaced, so that messages loaded earlier may not be part of it: the session has moved to another entry (`moved`), has switched to another conversation (`switched`), or old messages were replaced by a summary (`compacted`). `leafId` is the entry at which the conversation continues.',
  object({
    sessionId: string(),
    leafId: nullable(string()),
    reason: picklist(['moved', 'switched', 'compacted']),
  }),
  { stability: 'experimental' },
);

export const extensionError = event(
  'extension_error',
  'An extension failed. The agent continues without its result.',
  object({ extensionPath: string(), event: string(), error: string() }),
);

export const notice = event(
  'notice',
  'A message for the user, for example that the disk is full.',
  object({
    level: picklist(['info', 'warning', 'error']),
    message: string(),
    source: optional(string()),
    offset: optional(number()),
  }),
  { stability: 'experimental' },
);

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
