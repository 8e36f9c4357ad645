// Schemas of all frames of the pi-legacy dialect: three commands and eleven events.
import { array, type GenericSchema, literal, number, object, optional, string, union } from 'valibot';
import { commandsByName } from '../../src/commands/index.ts';
import { LEGACY_METHOD_FIELDS } from '../../src/dialects/pi-legacy/wire-names.ts';
import { agentMessage } from '../../src/protocol/index.ts';
import { type Definitions, entriesOf, eventFramesOf, wireOf } from './frames.ts';
import { pascalCase } from './naming.ts';

const fromHost: Definitions = Object.fromEntries(
  [...LEGACY_METHOD_FIELDS].map(([name, fields]) => {
    const entries = entriesOf(commandsByName.get(name)?.params ?? object({}));
    const known = Object.entries(entries).filter(([field]) => fields.includes(field));
    return [`${pascalCase(name)}Command`, object({ type: literal(name), ...Object.fromEntries(known) })];
  }),
);

const { ToolExecutionEndEvent: declared } = eventFramesOf(['tool_execution_end']);
const { durationMs: _, result = string(), ...toolEnd } = entriesOf(declared ?? object({}));

const AS_DECLARED = [
  'agent_start',
  'turn_start',
  'turn_end',
  'message_start',
  'message_update',
  'message_end',
  'tool_execution_start',
];

export const legacyFrames: Definitions = wireOf(fromHost, {
  ...eventFramesOf(AS_DECLARED),
  AgentEndEvent: object({ type: literal('agent_end'), messages: array(agentMessage) }),
  ToolExecutionEndEvent: object({
    ...toolEnd,
    result: union([string(), result as GenericSchema]),
  }),
  CompactionEvent: object({
    type: literal('compaction'),
    summary: string(),
    tokensBefore: number(),
    auto: optional(literal(true)),
  }),
  ErrorEvent: object({ type: literal('error'), error: string() }),
});
