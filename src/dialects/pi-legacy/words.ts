// First floor, dialects: the words of legacy pi: three that a host may say, and what they are made of.
import type { AgentEvent } from '../../protocol/index.ts';

/** Anything else in a frame is passed over, as it always was. */
export const LEGACY_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['prompt', ['message', 'attachments']],
  ['abort', []],
  ['compact', ['customInstructions']],
]);

export const legacyMethods: ReadonlyMap<string, string> = new Map(
  [...LEGACY_FIELDS.keys()].map((name) => [name, name]),
);

/** What is listened to; it leaves under eleven names. */
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
