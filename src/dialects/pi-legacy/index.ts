// The pi-legacy dialect: the first protocol of pi.
import type { Dialect } from '../../contracts/index.ts';
import { createPiLegacyCodec } from './codec.ts';
import { legacyEvents, legacyMethods } from './wire-names.ts';

export const piLegacy: Dialect = {
  name: 'pi-legacy',
  doc: 'The JSON-lines protocol of the first pi: prompts with attachments in, events out, no responses.',
  methods: legacyMethods,
  acceptsAllCommands: false,
  events: legacyEvents,
  defaultSettings: { 'compaction.reserveTokens': 20_000 },
  createCodec: createPiLegacyCodec,
};
