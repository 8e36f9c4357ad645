// Table of contents: the default dialect.
import type { Dialect } from '../../contracts/index.ts';
import { createOmpCodec } from './codec.ts';
import { ompEvents, ompMethods, watchedEvents } from './words.ts';

export const omp: Dialect = {
  name: 'omp',
  doc: 'JSON lines as oh-my-pi and pisces speak them: commands, responses and events over stdio.',
  methods: ompMethods,
  hasEveryCommand: true,
  events: [...ompEvents, ...watchedEvents],
  codec: createOmpCodec,
};
