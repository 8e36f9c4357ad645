// Names of the commands and events of pi.
import type { AgentEvent } from '../../protocol/index.ts';
import { runEvents } from '../run-events.ts';

/** Commands that have the same name in pi. */
const UNRENAMED_COMMANDS = [
  'prompt',
  'steer',
  'follow_up',
  'abort',
  'new_session',
  'get_state',
  'get_commands',
  'get_messages',
  'get_last_assistant_text',
  'switch_session',
  'clone',
  'get_entries',
  'get_tree',
  'export_html',
  'set_model',
  'cycle_model',
  'get_available_models',
  'set_thinking_level',
  'cycle_thinking_level',
  'get_available_thinking_levels',
  'set_steering_mode',
  'set_follow_up_mode',
  'clear_queue',
  'compact',
  'set_auto_compaction',
  'set_auto_retry',
  'abort_retry',
  'bash',
  'abort_bash',
  'get_session_stats',
  'set_session_name',
  'set_host_tools',
  'set_event_filter',
];

export const piMethods: ReadonlyMap<string, string> = new Map([
  ...UNRENAMED_COMMANDS.map((name): [string, string] => [name, name]),
  ['fork', 'branch'],
  ['get_fork_messages', 'get_branch_messages'],
]);

export const piEvents = [
  ...runEvents,
  'auto_compaction_start',
  'auto_compaction_end',
  'compaction_start',
  'compaction_end',
  'auto_retry_start',
  'auto_retry_end',
  'queue_update',
  'session_info_changed',
  'thinking_level_changed',
  'bash_execution_update',
  'extension_error',
  'notice',
] as const satisfies readonly AgentEvent['type'][];
