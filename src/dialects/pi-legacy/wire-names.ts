// Names of the commands and events of legacy pi.
import type { AgentEvent } from '../../protocol/index.ts';

/** The fields of each command. Other fields in a frame are ignored. */
export const LEGACY_METHOD_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['prompt', ['message', 'attachments']],
  ['abort', []],
  ['compact', ['customInstructions']],
]);

export const legacyMethods: ReadonlyMap<string, string> = new Map(
  [...LEGACY_METHOD_FIELDS.keys()].map((name) => [name, name]),
);

/** The events from which the eleven legacy events are built. */
export const legacyEvents = [
  'agent_start',
  'agent_end',
  'agent_settled',
  'turn_start',
  'turn_end',
  'message_start',
  'message_update',
  'message_end',
  'tool_execution_start',
  'tool_execution_end',
  'auto_compaction_end',
  'compaction_end',
  'notice',
] as const satisfies readonly AgentEvent['type'][];
