// Documents: schema/opal.openrpc.json. The methods, events and questions of the opal dialect, for tools that read OpenRPC.
import { PROTOCOL_VERSION } from '../../src/dialects/opal/methods.ts';
import { type OpalMethod, opalEvents, opalMethods, opalQuestions } from './frames-opal.ts';
import type { JsonSchema } from './json-schema.ts';

/** https://spec.open-rpc.org, 1.3. It has no words for what a server tells or asks, hence the extensions. */
export function openRpc(): JsonSchema {
  return {
    openrpc: '1.3.2',
    info: { title: 'The opal dialect of Parley', version: PROTOCOL_VERSION },
    methods: opalMethods.map(methodOf),
    'x-notifications': [
      {
        name: 'agent/event',
        description: 'Sent without being asked for, and without an id. `type` says what has happened.',
        paramStructure: 'by-name',
        params: [
          { name: 'session_id', required: true, schema: { type: 'string' } },
          { name: 'type', required: true, schema: { enum: opalEvents.map(({ type }) => type) } },
        ],
        'x-events': opalEvents.map(({ type, schema }) => ({ name: type, schema })),
      },
    ],
    'x-client-methods': opalQuestions.map(methodOf),
  };
}

function methodOf({
  name,
  doc,
  stability,
  params: { properties = {}, required = [] },
  result,
}: OpalMethod): JsonSchema {
  return {
    name,
    description: doc,
    'x-stability': stability,
    paramStructure: 'by-name',
    params: Object.entries(properties).map(([param, schema]) => ({
      name: param,
      required: required.includes(param),
      schema,
    })),
    result: { name: 'result', schema: result },
  };
}
