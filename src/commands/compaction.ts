// First floor, commands: making the conversation shorter.
import { boolean, object, optional, string } from 'valibot';
import { command } from '../contracts/index.ts';
import { compactionResult } from '../protocol/index.ts';

export const compact = command({
  name: 'compact',
  doc: 'Put a summary in the place of the older part of the conversation. A run that is going ends first, with its last events.',
  lane: 'ordered',
  long: true,
  params: object({ customInstructions: optional(string()) }),
  result: compactionResult,
  examples: [{ customInstructions: 'Keep the decisions about the parser' }],
  run: ({ customInstructions }, { session }) => session.compaction.compact(customInstructions),
});

export const setAutoCompaction = command({
  name: 'set_auto_compaction',
  doc: 'Whether this session compacts by itself when the context window fills up.',
  lane: 'ordered',
  params: object({ enabled: boolean() }),
  examples: [{ enabled: true }],
  async run({ enabled }, { session }) {
    session.compaction.automatic = enabled;
  },
});
