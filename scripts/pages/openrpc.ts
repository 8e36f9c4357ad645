// Generates schema/opal.openrpc.json: methods, events and client methods of the opal dialect.
import { PROTOCOL_VERSION } from '../../src/dialects/opal/methods/config.ts';
import { type OpalMethod, opalClientMethods, opalEvents, opalMethods } from './frames-opal.ts';
import type { JsonSchema } from './json-schema.ts';

/** https://spec.open-rpc.org, 1.3. It does not define notifications and requests from the server, so these are in `x-` fields. */
export function openRpc(): JsonSchema {
  return {
    openrpc: '1.3.2',
    info: { title: 'The opal dialect of Parley', version: PROTOCOL_VERSION },
    methods: opalMethods.map(methodOf),
    'x-notifications': [
      {
        name: 'agent/event',
        description: 'A notification, without an id. `type` is the type of the event.',
        paramStructure: 'by-name',
        params: [
          { name: 'session_id', required: true, schema: { type: 'string' } },
          { name: 'type', required: true, schema: { enum: opalEvents.map(({ type }) => type) } },
        ],
        'x-events': opalEvents.map(({ type, schema }) => ({ name: type, schema })),
      },
    ],
    'x-client-methods': opalClientMethods.map(methodOf),
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
