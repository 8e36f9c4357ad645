// Ground floor: the events of a conversation that shrinks, by itself or when it is told to.
import { boolean, literal, nullable, object, optional, picklist, string } from 'valibot';
import { compactionResult } from '../compaction.ts';
import { event } from '../event.ts';

const outcome = {
  result: nullable(compactionResult),
  aborted: boolean(),
  willRetry: boolean(),
  errorMessage: optional(string()),
};

export const autoCompactionStart = event(
  'auto_compaction_start',
  'The conversation is summarised: it nears the limit of the context window (`threshold`) or has passed it (`overflow`).',
  object({ reason: picklist(['threshold', 'overflow']) }),
);

export const autoCompactionEnd = event(
  'auto_compaction_end',
  'Summarising is over. `result` is null when it was aborted or failed; `willRetry` says that the refused prompt is sent again.',
  object(outcome),
);

export const compactionStart = event(
  'compaction_start',
  'Somebody asked for the conversation to be summarised.',
  object({ reason: literal('manual') }),
);

export const compactionEnd = event(
  'compaction_end',
  'What compaction_start announced is over. `result` is null when it was aborted, refused or failed.',
  object({ reason: literal('manual'), ...outcome }),
);
