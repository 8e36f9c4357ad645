// Schema of the result of a compaction.
import { type InferOutput, number, object, optional, string, unknown } from 'valibot';
import { usage } from './usage.ts';

export const compactionResult = object({
  summary: string(),
  firstKeptEntryId: string(),
  tokensBefore: number(),
  /** `readFiles` and `modifiedFiles`, unless an extension made the summary. */
  details: unknown(),
  /** Estimated size of the context after compaction, in tokens. */
  estimatedTokensAfter: optional(number()),
  /** Token usage of the summary request; absent when an extension provided the summary. */
  usage: optional(usage),
});

export type CompactionResult = InferOutput<typeof compactionResult>;
