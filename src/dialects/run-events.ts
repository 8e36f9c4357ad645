// The events of a run that the omp and pi dialects both send.
import type { AgentEvent } from '../protocol/index.ts';

export const runEvents = [
  'agent_start',
  'agent_end',
  'agent_settled',
  'turn_start',
  'turn_end',
  'message_start',
  'message_update',
  'message_end',
  'tool_execution_start',
  'tool_execution_update',
  'tool_execution_end',
] as const satisfies readonly AgentEvent['type'][];
