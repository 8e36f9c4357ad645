// Table of contents: the dialect of pi 1.x.
import type { Dialect } from '../../contracts/index.ts';
import { createPiCodec } from './codec.ts';
import { piEvents, piMethods } from './words.ts';

export const pi: Dialect = {
  name: 'pi',
  doc: 'JSON lines as pi 1.x speaks them: one response to every call, updates that hold only what is new.',
  methods: piMethods,
  hasEveryCommand: false,
  events: piEvents,
  codec: createPiCodec,
};
