// Documents: every frame of the pi wire as a schema: the declarations, and where pi spells them in its own way.
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
  askFramesOf,
  commandFramesOf,
  type Definitions,
  eventFramesOf,
  responseFramesOf,
  streamDelta,
  wireOf,
} from './frames.ts';

const disposition = picklist(['started', 'queued', 'handled']);
const reason = picklist(['manual', 'threshold', 'overflow']);

const { commands } = (getCommands.result as NonNullable<typeof getCommands.result>).entries;
const { location: _, path: __, ...listed } = commands.item.entries as ObjectEntries;
const sourceInfo = object({
  path: string(),
  source: picklist(['cli', 'auto']),
  scope: picklist(['user', 'project', 'temporary']),
  origin: literal('top-level'),
});

/** Results that pi shapes in its own way. */
const OWN_RESULTS: Definitions = {
  prompt: object({ disposition }),
  steer: object({ disposition }),
  follow_up: object({ disposition }),
  get_commands: object({ commands: array(object({ ...listed, sourceInfo })) }),
};

/** An answer that begins. */
const opening = object({ ...assistantMessage.entries, stopReason: picklist([...stopReason.options, 'pending']) });
const others = agentMessage.options.filter((option) => option !== assistantMessage);

const OWN_EVENTS: Definitions = {
  MessageStartEvent: object({ type: literal('message_start'), message: union([opening, ...others]) }),
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
    ...askFramesOf((method) => method !== 'cancel'),
    ...responseFramesOf(pi, (method, { result }) => OWN_RESULTS[method] ?? result),
    ...eventFramesOf(pi.events.filter((type) => !type.startsWith('auto_compaction_'))),
    ...OWN_EVENTS,
  },
);
