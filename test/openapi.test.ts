// Checks the OpenAPI document: the rules of OpenAPI 3.1, its examples, and that it has all commands and all routes of the server.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generate } from '../scripts/pages/index.ts';
import { findCommandNeeds } from '../scripts/pages/openapi/command-scope.ts';
import { commandsByName } from '../src/commands/index.ts';
import { addMultiSessionCommands } from '../src/commands/multi-session/index.ts';
import { replaceSessionCommands } from '../src/commands/shared-session/index.ts';
import { createHttpApp } from '../src/http/app.ts';
import { events } from '../src/protocol/index.ts';
import { type Json, OpenApiDocument } from './support/openapi-document.ts';

const generated = await generate(join(import.meta.dirname, '..'));
const text = generated.get('schema/openapi.json') ?? '';
const openApi = new OpenApiDocument(JSON.parse(text));
const commands = replaceSessionCommands(addMultiSessionCommands(commandsByName));

test('the document follows the rules of OpenAPI 3.1, and its examples match their schemas', () => {
  expect(openApi.findProblems()).toEqual([]);
});

test('there are examples of requests and responses', () => {
  expect(text.match(/"examples": \{/g)?.length).toBeGreaterThan(60);
});

test('every command is an operation, except those that need the connection of a host', () => {
  const described = openApi.operations.flatMap(({ path }) => /\/commands\/(\w+)$/.exec(path)?.[1] ?? []);
  const missing = [...commands.keys()].filter((name) => !described.includes(name));
  expect(described.filter((name) => !commands.has(name))).toEqual([]);
  expect(missing.sort()).toEqual([
    'get_schema',
    'login',
    'negotiate_protocol',
    'set_event_filter',
    'set_host_tools',
    'set_host_uri_schemes',
    'set_subagent_subscription',
    'shutdown',
  ]);
});

test.each([
  ['get_state', 'session', false],
  ['prompt', 'session', true],
  ['abort', 'session', true],
  ['list_sessions', 'server', false],
  ['get_available_models', 'server', false],
  ['get_settings', 'server', false],
  ['ping', 'server', false],
  ['set_host_tools', 'connection', false],
  ['shutdown', 'connection', false],
])('%s needs: %s', (name, scope, canBeAccepted) => {
  const command = commands.get(name);
  expect(command && findCommandNeeds(command)).toEqual({ scope, canBeAccepted });
});

test('an operation repeats lane, access and stability of its command', () => {
  const find = (id: string) => openApi.operations.find((one) => one.id === id)?.operation;
  expect(find('callGetState')).toMatchObject({ 'x-access': 'read', 'x-lane': 'now', 'x-stability': 'stable' });
  expect(find('callPrompt')).toMatchObject({ 'x-access': 'full', 'x-lane': 'run' });
  expect(find('callPing')).toMatchObject({ 'x-stability': 'experimental' });
});

test('every event that clients of a server receive is in the schema of the stream', () => {
  const schema = openApi.resolve('#/components/schemas/SessionEvent') as { allOf: Json[] };
  const [, union = {}] = schema.allOf;
  const { mapping } = union.discriminator as { mapping: Json };
  const types = events.map(({ type }) => type as string);
  expect(Object.keys(mapping).filter((type) => !types.includes(type))).toEqual([]);
  // These are sent in other dialects only.
  expect(types.filter((type) => !(type in mapping))).toEqual(['subagent_session', 'skill_loaded']);
});

describe('frames of a stream', () => {
  const validate = (frame: object) => openApi.validate('components/schemas/StreamFrame', frame);

  test.each([
    [{ type: 'agent_start', seq: 4 }],
    [{ type: 'agent_settled', aborted: false, seq: 5, firstSeq: 3, client: 'page' }],
    [{ type: 'message_update', seq: 6, assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'x' } }],
    [{ reason: 'The server ends. Connect again later.' }],
    [
      {
        type: 'session_attached',
        sessionId: 'a',
        clientId: 'b',
        seq: 0,
        access: 'read',
        replay: 'none',
        sessions: 'many',
      },
    ],
  ])('%j', (frame) => {
    expect(validate(frame)).toEqual([]);
  });

  test.each([[{ type: 'agent_start' }], [{ type: 'agent_settled', seq: 5 }], [{ type: 'unknown', seq: 1 }]])(
    '%j is refused',
    (frame) => {
      expect(validate(frame)).not.toEqual([]);
    },
  );
});

/** Files of the page, which are no part of the API. */
const PAGE_ROUTES = ['GET /', 'GET /docs', 'GET /assets/{name}', 'GET /favicon.svg'];
/** In the document each command has its own path. */
const COMMAND_ROUTES = ['POST /v1/commands/{name}', 'POST /v1/sessions/{id}/commands/{name}'];
/** Without declared commands; the document gets them with the commands. */
const ARTIFACT_ROUTES = ['GET /v1/sessions/{id}/artifacts', 'GET /v1/sessions/{id}/artifacts/{artifact}'];

test('the document has the routes of the server, and no others', () => {
  const app = createHttpApp({} as Parameters<typeof createHttpApp>[0]);
  const served = app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    .filter((route) => ![...PAGE_ROUTES, ...COMMAND_ROUTES].includes(route))
    .filter((route) => commands.has('list_artifacts') || !ARTIFACT_ROUTES.includes(route));
  const described = openApi.operations
    .filter(({ path }) => !path.includes('/commands/'))
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const shapeOf = (route: string) => route.replace(/\{\w+\}/g, '{}');
  expect(described.map(shapeOf).sort()).toEqual(served.map(shapeOf).sort());
});

describe('the checks of the document', () => {
  const PROMPT = 'callPrompt';

  /** The problems after a change of the operation `prompt` or of the document. */
  function findProblemsAfter(edit: (operation: Json, document: Json) => void): string {
    const document = JSON.parse(text) as Json;
    const changed = new OpenApiDocument(document);
    edit(changed.operations.find(({ id }) => id === PROMPT)?.operation ?? {}, document);
    return new OpenApiDocument(document).findProblems().join('\n');
  }

  type Edit = (operation: Json, document: { components: { schemas: Json } }) => void;
  const edits: readonly (readonly [string, Edit, string])[] = [
    ['a missing schema', (_, { components }) => delete components.schemas.SessionDetails, 'does not resolve'],
    ['a repeated id', (operation) => Object.assign(operation, { operationId: 'callPing' }), 'operationId callPing'],
    [
      'no failures',
      (operation) => Object.assign(operation, { responses: { 200: { description: 'a' } } }),
      'no failure',
    ],
    ['a missing parameter', (operation) => Object.assign(operation, { parameters: [] }), 'parameters of the path'],
    ['an unknown tag', (operation) => Object.assign(operation, { tags: ['x'] }), 'unknown tag x'],
    [
      'a wrong example',
      (operation) => {
        const examples = { one: { value: { message: 1 } } };
        const content = { 'application/json': { schema: { $ref: '#/components/schemas/PromptParams' }, examples } };
        Object.assign(operation, { requestBody: { content } });
      },
      '/message must be string',
    ],
    [
      'a keyword of an older draft',
      (_, { components }) => Object.assign(components.schemas, { X: { anyOf: [{ nullable: true }] } }),
      'older draft',
    ],
  ];

  test.each(edits)('find %s', (_, edit, message) => {
    const problems = findProblemsAfter((operation, document) => edit(operation, document as never));
    expect(problems).toContain(message);
  });
});
