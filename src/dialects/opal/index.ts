// Table of contents: JSON-RPC 2.0 as Opal speaks it, with as many sessions as the host opens.
import type { Dialect } from '../../contracts/index.ts';
import { createOpalCodec } from './codec.ts';
import { opalEvents } from './events.ts';
import { METHODS } from './methods.ts';

export const opal: Dialect = {
  name: 'opal',
  doc: 'JSON-RPC 2.0 as Opal speaks it: many sessions in one process, and questions to the host as requests.',
  manySessions: true,
  methods: new Map([...METHODS].map(([name, { command }]) => [name, command])),
  hasEveryCommand: false,
  events: opalEvents,
  // What was said while a run was going is said together when the model next stops; hosts are there to be asked.
  settings: { followUpMode: 'all', 'ask.enabled': true, 'tasks.enabled': true },
  codec: createOpalCodec,
};
