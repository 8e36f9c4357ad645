// The dialect of pi 1.x.
import type { Dialect } from '../../contracts/index.ts';
import { createPiCodec } from './codec.ts';
import { piEvents, piMethods } from './wire-names.ts';

export const pi: Dialect = {
  name: 'pi',
  doc: 'The JSON-lines protocol of pi 1.x: one response to every call, updates that contain only the new text.',
  methods: piMethods,
  acceptsAllCommands: false,
  events: piEvents,
  createCodec: createPiCodec,
};
