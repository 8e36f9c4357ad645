// Documents: every frame of the opal wire as JSON Schema: its methods with the commands they mean, its events and questions.
import { toJsonSchema } from '@valibot/to-json-schema';
import { type GenericSchema, object } from 'valibot';
import { isRecord } from '../../src/base/index.ts';
import { deskCommands } from '../../src/commands/desk/index.ts';
import type { Command } from '../../src/contracts/index.ts';
import { METHODS, type Method } from '../../src/dialects/opal/methods.ts';
import { snake } from '../../src/dialects/opal/spelling.ts';
import { OPAL_EVENTS, OPAL_QUESTIONS } from '../../src/dialects/opal/told.ts';
import { allCommands } from './frames.ts';
import { type JsonSchema, refTo } from './json-schema.ts';
import { pascalCase } from './naming.ts';

export interface OpalMethod {
  readonly name: string;
  readonly doc: string;
  readonly stability: 'stable' | 'experimental';
  /** An object whose properties are the params. */
  readonly params: JsonSchema;
  readonly result: JsonSchema;
}

const byName = new Map([...allCommands, ...deskCommands].map((command) => [command.name, command as Command]));
const nothing: JsonSchema = { type: 'object', properties: {}, required: [] };

/** What a host may call. */
export const opalMethods: readonly OpalMethod[] = [...METHODS].map(([name, method]) => methodOf(name, method));

/** What a host may be asked. */
export const opalQuestions: readonly OpalMethod[] = Object.entries(OPAL_QUESTIONS).map(([name, question]) => ({
  name,
  doc: question.doc,
  stability: 'stable',
  params: plain(object(question.params)),
  result: plain(object(question.result)),
}));

/** The params of `agent/event`, one for each type. */
export const opalEvents: readonly { readonly type: string; readonly schema: JsonSchema }[] = Object.entries(
  OPAL_EVENTS,
).map(([type, { doc, fields }]) => {
  const { properties = {}, required = [] } = plain(object(fields));
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

function methodOf(name: string, method: Method): OpalMethod {
  const command = byName.get(method.command);
  if (!command) throw new Error(`${name} means ${method.command}, which is no command`);
  // Where the table puts other words in their place, those that it requires are all there are.
  const { properties: given = {} } = method.params ? {} : spelled(command.params);
  const text: JsonSchema = { type: 'string' };
  const properties = { ...Object.fromEntries(method.required.map((param) => [param, text])), ...given };
  return {
    name,
    doc: command.doc,
    stability: command.stability ?? 'stable',
    params: { type: 'object', properties, required: method.required },
    result: resultOf(command, method),
  };
}

function resultOf(command: Command, method: Method): JsonSchema {
  if (method.answer) return plain(method.answer);
  return command.result && !method.result ? spelled(command.result) : nothing;
}

function plain(schema: GenericSchema): JsonSchema {
  const { $schema: _, ...rest } = toJsonSchema(schema, { typeMode: 'input', errorMode: 'ignore' });
  return rest as JsonSchema;
}

function spelled(schema: GenericSchema): JsonSchema {
  return renamed(plain(schema)) as JsonSchema;
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === 'required' && Array.isArray(inner)) return [key, inner.map((name) => snake(String(name)))];
      if (key !== 'properties' || !isRecord(inner)) return [key, renamed(inner)];
      return [key, Object.fromEntries(Object.entries(inner).map(([name, one]) => [snake(name), renamed(one)]))];
    }),
  );
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

function requestsOf(methods: readonly OpalMethod[], id: JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(
    methods.flatMap(({ name, doc, stability, params, result }) => {
      const word = definitionName(name);
      const request = envelope(
        { id, method: { const: name }, params: refTo(`${word}Params`) },
        params.required?.length ? [] : ['params'],
      );
      return [
        [`${word}Params`, params],
        [`${word}Result`, result],
        [`${word}Request`, { description: doc, 'x-stability': stability, ...request }],
      ];
    }),
  );
}

const anyOf = (names: readonly string[]): JsonSchema => ({ anyOf: names.map(refTo) });
const requestNames = (methods: readonly OpalMethod[]) => methods.map(({ name }) => `${definitionName(name)}Request`);
const eventName = (type: string) => `${pascalCase(type)}Event`;

function tableOf(methods: readonly OpalMethod[]): JsonSchema {
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
    description: 'What a host may call: params and result by the name of the method.',
    ...tableOf(opalMethods),
  },
  Questions: { description: 'What a host may be asked.', ...tableOf(opalQuestions) },
  ...requestsOf(opalMethods, ID),
  ...requestsOf(opalQuestions, { type: 'string' }),
  ...Object.fromEntries(opalEvents.map(({ type, schema }) => [eventName(type), schema])),
  AgentEvent: anyOf(opalEvents.map(({ type }) => eventName(type))),
  EventNotification: envelope({ method: { const: 'agent/event' }, params: refTo('AgentEvent') }),
  Result: {
    description: 'The answer to a request; what it holds follows from the method.',
    ...envelope({ id: ID, result: {} }),
  },
  Failure: envelope({ id: ID, error: ERROR }),
  HostFrame: anyOf([...requestNames(opalMethods), 'Result', 'Failure']),
  AgentFrame: anyOf(['Result', 'Failure', 'EventNotification', ...requestNames(opalQuestions)]),
};
