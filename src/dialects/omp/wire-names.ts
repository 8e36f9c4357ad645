// Names of the events that omp sends, and the pi names that omp accepts for some commands.
import type { AgentEvent } from '../../protocol/index.ts';
import { runEvents } from '../run-events.ts';

/** Aliases for hosts written for pi. All other commands keep their names. */
export const ompMethods: ReadonlyMap<string, string> = new Map([
  ['fork', 'branch'],
  ['get_fork_messages', 'get_branch_messages'],
]);

/** Sent only to hosts that subscribed to subagents. */
export const subagentSubscriptionEvents = [
  'subagent_lifecycle',
  'subagent_progress',
  'subagent_event',
] as const satisfies readonly AgentEvent['type'][];

export const ompEvents = [
  ...runEvents,
  'auto_compaction_start',
  'auto_compaction_end',
  'auto_retry_start',
  'auto_retry_end',
  'subagent_start',
  'subagent_end',
  'subagent_verification_start',
  'subagent_verification_command_start',
  'subagent_verification_command_end',
  'subagent_verification_end',
  'budget_warning',
  'budget_exceeded',
  'ttsr_triggered',
  'todo_reminder',
  'available_commands_update',
  'extension_error',
  'notice',
] as const satisfies readonly AgentEvent['type'][];
