// JSON Schemas of all frames of the opal dialect: methods, events and requests to the host.
import { toJsonSchema } from '@valibot/to-json-schema';
import { type GenericSchema, object } from 'valibot';
import { multiSessionCommands } from '../../src/commands/multi-session/index.ts';
import type { Command } from '../../src/contracts/index.ts';
import { OPAL_CLIENT_METHODS, OPAL_EVENTS } from '../../src/dialects/opal/event-schemas.ts';
import { listRequiredParams, type OpalMethod as MethodDeclaration } from '../../src/dialects/opal/method.ts';
import { OPAL_METHODS } from '../../src/dialects/opal/methods/index.ts';
import { allCommands } from './frames.ts';
import { type JsonSchema, refTo } from './json-schema.ts';
import { pascalCase } from './naming.ts';

export interface OpalMethod {
  readonly name: string;
  readonly doc: string;
  readonly stability: 'stable' | 'experimental';
  /** An object schema whose properties are the params. */
  readonly params: JsonSchema;
  readonly result: JsonSchema;
}

const byName = new Map([...allCommands, ...multiSessionCommands].map((command) => [command.name, command as Command]));
const EMPTY_RESULT: JsonSchema = { type: 'object', properties: {}, required: [] };

/** Methods of the agent. */
export const opalMethods: readonly OpalMethod[] = [...OPAL_METHODS].map(([name, method]) => methodOf(name, method));

/** Methods of the host. */
export const opalClientMethods: readonly OpalMethod[] = Object.entries(OPAL_CLIENT_METHODS).map(([name, method]) => ({
  name,
  doc: method.doc,
  stability: 'stable',
  params: toSchema(object(method.params)),
  result: toSchema(object(method.result)),
}));

/** The params of `agent/event`, one schema for each type. */
export const opalEvents: readonly { readonly type: string; readonly schema: JsonSchema }[] = Object.entries(
  OPAL_EVENTS,
).map(([type, { doc, fields }]) => {
  const { properties = {}, required = [] } = toSchema(object(fields));
  return {
    type,
    schema: {
      description: doc,
      type: 'object',
      properties: { session_id: { type: 'string' }, type: { const: type }, ...properties },
      required: ['session_id', 'type', ...required],
    },
  };
});

function methodOf(name: string, method: MethodDeclaration): OpalMethod {
  const command = byName.get(method.command);
  if (!command) throw new Error(`${name} maps to ${method.command}, which is not a command`);
  const session: Record<string, JsonSchema> = method.isForSession ? { session_id: { type: 'string' } } : {};
  const required = listRequiredParams(method);
  // The required params come first, as in the error for missing params.
  const { properties = {} } = toSchema(method.params);
  const first = Object.fromEntries(required.flatMap((param) => (param in properties ? [[param, {}]] : [])));
  return {
    name,
    doc: method.doc ?? command.doc,
    stability: method.stability ?? command.stability ?? 'stable',
    params: { type: 'object', properties: { ...session, ...first, ...properties }, required },
    result: method.result ? toSchema(method.result) : EMPTY_RESULT,
  };
}

function toSchema(schema: GenericSchema): JsonSchema {
  const { $schema: _, ...rest } = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore' });
  return rest as JsonSchema;
}

const VERSION: JsonSchema = { const: '2.0' };
const ID: JsonSchema = { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] };
const ERROR: JsonSchema = {
  type: 'object',
  properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
  required: ['code', 'message'],
};

function envelope(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  const required = ['jsonrpc', ...Object.keys(properties).filter((name) => !optional.includes(name))];
  return { type: 'object', properties: { jsonrpc: VERSION, ...properties }, required };
}

export const definitionName = (method: string) => pascalCase(method.replaceAll('/', '_'));

function createRequests(methods: readonly OpalMethod[], id: JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(
    methods.flatMap(({ name, doc, stability, params, result }) => {
      const prefix = definitionName(name);
      const request = envelope(
        { id, method: { const: name }, params: refTo(`${prefix}Params`) },
        params.required?.length ? [] : ['params'],
      );
      return [
        [`${prefix}Params`, params],
        [`${prefix}Result`, result],
        [`${prefix}Request`, { description: doc, 'x-stability': stability, ...request }],
      ];
    }),
  );
}

const anyOf = (names: readonly string[]): JsonSchema => ({ anyOf: names.map(refTo) });
const requestNames = (methods: readonly OpalMethod[]) => methods.map(({ name }) => `${definitionName(name)}Request`);
const eventName = (type: string) => `${pascalCase(type)}Event`;

function methodTable(methods: readonly OpalMethod[]): JsonSchema {
  const pair = (name: string): JsonSchema => ({
    type: 'object',
    properties: { params: refTo(`${definitionName(name)}Params`), result: refTo(`${definitionName(name)}Result`) },
    required: ['params', 'result'],
  });
  const names = methods.map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, pair(name)])), required: names };
}

export const opalDefinitions: Record<string, JsonSchema> = {
  Methods: {
    description: 'Methods of the agent: params and result by method name.',
    ...methodTable(opalMethods),
  },
  Questions: { description: 'Methods of the host, which the agent calls.', ...methodTable(opalClientMethods) },
  ...createRequests(opalMethods, ID),
  ...createRequests(opalClientMethods, { type: 'string' }),
  ...Object.fromEntries(opalEvents.map(({ type, schema }) => [eventName(type), schema])),
  AgentEvent: anyOf(opalEvents.map(({ type }) => eventName(type))),
  EventNotification: envelope({ method: { const: 'agent/event' }, params: refTo('AgentEvent') }),
  Result: {
    description: 'The response to a request. The schema of `result` depends on the method.',
    ...envelope({ id: ID, result: {} }),
  },
  Failure: envelope({ id: ID, error: ERROR }),
  HostFrame: anyOf([...requestNames(opalMethods), 'Result', 'Failure']),
  AgentFrame: anyOf(['Result', 'Failure', 'EventNotification', ...requestNames(opalClientMethods)]),
};
