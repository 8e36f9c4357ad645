// Schemas of all frames of the pi dialect: the declarations, and results and events with a different format in pi.
import {
  array,
  boolean,
  literal,
  nullable,
  type ObjectEntries,
  object,
  optional,
  picklist,
  string,
  union,
} from 'valibot';
import { getCommands } from '../../src/commands/session.ts';
import { pi } from '../../src/dialects/pi/index.ts';
import { agentMessage, assistantMessage, compactionResult, stopReason, usage } from '../../src/protocol/index.ts';
import {
  answerFrames,
  commandFramesOf,
  type Definitions,
  dialogFramesOf,
  eventFramesOf,
  responseFramesOf,
  streamDelta,
  wireOf,
} from './frames.ts';

const reason = picklist(['manual', 'threshold', 'overflow']);

const { commands } = (getCommands.result as NonNullable<typeof getCommands.result>).entries;
const { location: _, path: __, baseDir: ___, ...listed } = commands.item.entries as ObjectEntries;
const sourceInfo = object({
  path: string(),
  source: picklist(['cli', 'auto']),
  scope: picklist(['user', 'project', 'temporary']),
  origin: picklist(['package', 'top-level']),
  baseDir: optional(string()),
});

/** Results with a different format in pi. */
const PI_RESULTS: Definitions = {
  get_commands: object({ commands: array(object({ ...listed, sourceInfo })) }),
};

/** The assistant message at the start of an answer. */
const pendingMessage = object({
  ...assistantMessage.entries,
  stopReason: picklist([...stopReason.options, 'pending']),
});
const otherMessages = agentMessage.options.filter((option) => option !== assistantMessage);

const PI_EVENTS: Definitions = {
  MessageStartEvent: object({ type: literal('message_start'), message: union([pendingMessage, ...otherMessages]) }),
  MessageUpdateEvent: object({ type: literal('message_update'), usage, assistantMessageEvent: streamDelta }),
  CompactionStartEvent: object({ type: literal('compaction_start'), reason }),
  CompactionEndEvent: object({
    type: literal('compaction_end'),
    reason,
    result: nullable(compactionResult),
    aborted: boolean(),
    willRetry: boolean(),
    errorMessage: optional(string()),
  }),
};

export const piFrames: Definitions = wireOf(
  { ...commandFramesOf(pi), ...answerFrames },
  {
    ...dialogFramesOf((method) => method !== 'cancel'),
    ...responseFramesOf(pi, (method, { result }) => PI_RESULTS[method] ?? result),
    ...eventFramesOf(pi.events.filter((type) => !type.startsWith('auto_compaction_'))),
    ...PI_EVENTS,
  },
);
