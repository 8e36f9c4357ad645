// Commands for compaction.
import { boolean, object, optional, string } from 'valibot';
import { command } from '../contracts/index.ts';
import { compactionResult } from '../protocol/index.ts';

export const compact = command({
  name: 'compact',
  doc: 'Replace the older part of the conversation with a summary. A run in progress is stopped first and sends its final events.',
  lane: 'ordered',
  long: true,
  params: object({ customInstructions: optional(string()) }),
  result: compactionResult,
  examples: [{ customInstructions: 'Keep the decisions about the parser' }],
  run: ({ customInstructions }, { session }) => session.compaction.compact(customInstructions),
});

export const setAutoCompaction = command({
  name: 'set_auto_compaction',
  doc: 'Enable or disable automatic compaction when the context window fills up.',
  lane: 'ordered',
  params: object({ enabled: boolean() }),
  examples: [{ enabled: true }],
  async run({ enabled }, { session }) {
    session.compaction.isAutomatic = enabled;
  },
});
