// Commands for compaction.
import { boolean, integer, minValue, number, object, optional, pipe, string } from 'valibot';
import { command } from '../contracts/index.ts';
import { compactionResult } from '../protocol/index.ts';

export const compact = command({
  name: 'compact',
  doc: 'Replace the older part of the conversation with a summary. A run in progress is stopped first and sends its final events. `keepMessages` is the number of newest messages that are not summarised; without it the token limit of the settings applies.',
  lane: 'ordered',
  long: true,
  params: object({
    customInstructions: optional(string()),
    keepMessages: optional(pipe(number(), integer('must be a whole number'), minValue(1, 'must be 1 or more'))),
  }),
  result: compactionResult,
  examples: [{ customInstructions: 'Keep the decisions about the parser' }],
  run: ({ customInstructions, keepMessages }, { session }) =>
    session.compaction.compact(customInstructions, { keepMessages }),
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
