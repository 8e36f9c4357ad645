// The omp dialect, which is the default.
import type { Dialect } from '../../contracts/index.ts';
import { createOmpCodec } from './codec.ts';
import { ompEvents, ompMethods, subagentSubscriptionEvents } from './wire-names.ts';

export const omp: Dialect = {
  name: 'omp',
  doc: 'The JSON-lines protocol of oh-my-pi and pisces: commands, responses and events over stdio.',
  methods: ompMethods,
  acceptsAllCommands: true,
  events: [...ompEvents, 'session_settled', ...subagentSubscriptionEvents],
  createCodec: createOmpCodec,
};
