// Ground floor: what a compaction leaves behind.
import { type InferOutput, number, object, optional, string, unknown } from 'valibot';
import { usage } from './usage.ts';

export const compactionResult = object({
  summary: string(),
  firstKeptEntryId: string(),
  tokensBefore: number(),
  /** `readFiles` and `modifiedFiles`, unless an extension made the summary. */
  details: unknown(),
  /** What the conversation weighs now, as far as that can be known before the next answer. */
  estimatedTokensAfter: optional(number()),
  /** What writing the summary cost; absent when an extension wrote it. */
  usage: optional(usage),
});

export type CompactionResult = InferOutput<typeof compactionResult>;
