// Table of contents: the dialect that pi spoke first.
import type { Dialect } from '../../contracts/index.ts';
import { createLegacyCodec } from './codec.ts';
import { legacyEvents, legacyMethods } from './words.ts';

export const piLegacy: Dialect = {
  name: 'pi-legacy',
  doc: 'JSON lines as the first pi spoke them: prompts with attachments in, events out, no responses.',
  methods: legacyMethods,
  hasEveryCommand: false,
  events: legacyEvents,
  settings: { 'compaction.reserveTokens': 20_000 },
  codec: createLegacyCodec,
};
