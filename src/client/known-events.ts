// Names of the declared events. Listed here because importing the declarations would load their schemas.
import type { AgentEvent } from '../protocol/index.ts';

/** The type makes the compiler report missing and undeclared events. */
const KNOWN_EVENT_TYPES: Readonly<Record<AgentEvent['type'], true>> = {
  agent_start: true,
  agent_end: true,
  agent_settled: true,
  session_settled: true,
  turn_start: true,
  turn_end: true,
  message_start: true,
  message_update: true,
  message_end: true,
  tool_execution_start: true,
  tool_execution_update: true,
  tool_execution_end: true,
  auto_compaction_start: true,
  auto_compaction_end: true,
  compaction_start: true,
  compaction_end: true,
  queue_update: true,
  session_info_changed: true,
  thinking_level_changed: true,
  state_changed: true,
  available_commands_update: true,
  conversation_changed: true,
  bash_execution_update: true,
  auto_retry_start: true,
  auto_retry_end: true,
  subagent_start: true,
  subagent_session: true,
  subagent_end: true,
  subagent_verification_start: true,
  subagent_verification_command_start: true,
  subagent_verification_command_end: true,
  subagent_verification_end: true,
  subagent_lifecycle: true,
  subagent_progress: true,
  subagent_event: true,
  budget_warning: true,
  budget_exceeded: true,
  ttsr_triggered: true,
  todo_reminder: true,
  skill_loaded: true,
  extension_error: true,
  notice: true,
};

/** All event names, for a filter that selects every event. */
export const KNOWN_EVENTS = Object.keys(KNOWN_EVENT_TYPES);

export function isKnownEvent(type: string): type is AgentEvent['type'] {
  return Object.hasOwn(KNOWN_EVENT_TYPES, type);
}
