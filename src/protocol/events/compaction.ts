// Events of automatic and requested compactions.
import { boolean, literal, nullable, object, optional, picklist, string } from 'valibot';
import { compactionResult } from '../compaction-result.ts';
import { event } from '../event.ts';

const endFields = {
  result: nullable(compactionResult),
  aborted: boolean(),
  willRetry: boolean(),
  errorMessage: optional(string()),
};

export const autoCompactionStart = event(
  'auto_compaction_start',
  'Automatic compaction starts: the context is close to the limit of the context window (`threshold`) or exceeds it (`overflow`).',
  object({ reason: picklist(['threshold', 'overflow']) }),
);

export const autoCompactionEnd = event(
  'auto_compaction_end',
  'Automatic compaction has ended. `result` is null when it was aborted or failed; `willRetry` is true when the rejected request is sent again.',
  object(endFields),
);

export const compactionStart = event(
  'compaction_start',
  'A requested compaction starts.',
  object({ reason: literal('manual') }),
);

export const compactionEnd = event(
  'compaction_end',
  'A requested compaction has ended. `result` is null when it was aborted, refused or failed.',
  object({ reason: literal('manual'), ...endFields }),
);
