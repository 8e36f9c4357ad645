// Ground floor: what a compaction leaves behind.
import { type InferOutput, number, object, string, unknown } from 'valibot';

export const compactionResult = object({
  summary: string(),
  firstKeptEntryId: string(),
  tokensBefore: number(),
  /** `readFiles` and `modifiedFiles`, unless an extension made the summary. */
  details: unknown(),
});

export type CompactionResult = InferOutput<typeof compactionResult>;
