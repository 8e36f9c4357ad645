// The opal dialect: JSON-RPC 2.0 with several sessions per process.
import type { Dialect } from '../../contracts/index.ts';
import { createOpalCodec } from './codec.ts';
import { opalEvents } from './event-encoder.ts';
import { OPAL_METHODS } from './methods/index.ts';

export const opal: Dialect = {
  name: 'opal',
  doc: 'The JSON-RPC 2.0 protocol of Opal: many sessions in one process, and UI requests to the host as JSON-RPC requests.',
  isMultiSession: true,
  methods: new Map([...OPAL_METHODS].map(([name, { command }]) => [name, command])),
  acceptsAllCommands: false,
  events: opalEvents,
  // Prompts sent during a run are delivered together when the model next stops. Opal hosts can answer questions.
  defaultSettings: { followUpMode: 'all', 'ask.enabled': true, 'tasks.enabled': true },
  createCodec: createOpalCodec,
};
