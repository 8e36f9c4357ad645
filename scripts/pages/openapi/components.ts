// Parameters, responses and the schemas of the OpenAPI document that no command declares.
import { type JsonSchema, refTo } from '../json-schema.ts';

export type Json = Record<string, unknown>;

/** Failures by status, with the name of the response. */
const FAILURES = {
  400: [
    'InvalidRequest',
    'The body is not JSON, a parameter is missing or has the wrong type, or a query parameter is unknown or repeated (`invalid_params`).',
  ],
  401: ['Unauthorized', 'There is no valid token (`unauthorized`).'],
  403: ['Forbidden', 'The Host or Origin header is not allowed, or the token is read-only (`forbidden`, `refused`).'],
  404: ['NotFound', 'The session, dialog or command does not exist (`not_found`, `unknown_command`).'],
  409: ['Busy', 'The session is busy, or another process uses it (`busy`).'],
  413: ['TooLarge', 'The body is larger than `rpc.maxLineBytes`.'],
  415: ['UnsupportedMediaType', 'The body is not sent as `application/json`, or is compressed.'],
  422: ['Refused', 'The command refuses the call. The code says why, for example `no_model` or `refused`.'],
  429: ['RateLimited', 'Too many requests with a wrong token (`rate_limited`). `Retry-After` has the seconds to wait.'],
  500: ['Failed', 'The server failed (`internal`, `storage`).'],
  503: ['Unavailable', 'The server has as many clients as `serve.maxClients` allows (`busy`).'],
} as const;

type FailureStatus = keyof typeof FAILURES;

/** Of every request that needs a token. */
const COMMON_FAILURES: readonly FailureStatus[] = [400, 401, 403, 429, 500];

/** Of every request with a body. */
export const BODY_FAILURES = [413, 415] as const;

/** Responses of an operation for these failures and for those of all operations. */
export function failuresOf(...statuses: readonly FailureStatus[]): Json {
  const all = [...new Set([...statuses, ...COMMON_FAILURES])].sort((one, other) => one - other);
  return Object.fromEntries(all.map((status) => [status, { $ref: `#/components/responses/${FAILURES[status][0]}` }]));
}

export const failureResponses: Json = Object.fromEntries(
  Object.values(FAILURES).map(([name, description]) => [
    name,
    { description, content: { 'application/json': { schema: refTo('Failure') } } },
  ]),
);

export const parameters: Json = {
  SessionId: pathParameter('sessionId', 'The id of the session. A stored session is opened.'),
  ClientName: {
    name: 'x-parley-client',
    in: 'header',
    description: 'The name of the client in the `client` field of events and in the audit log.',
    schema: { type: 'string', pattern: '^[\\w .:@-]{1,64}$' },
  },
  Wait: {
    name: 'wait',
    in: 'query',
    description: '`settled`: reply when the work has ended, not when it is accepted.',
    schema: { enum: ['accepted', 'settled'], default: 'accepted' },
  },
  Access: {
    name: 'access',
    in: 'query',
    description: '`read`: this request can only do what a read-only token can do.',
    schema: { enum: ['full', 'read'] },
  },
};

export const securitySchemes: Json = {
  bearer: { type: 'http', scheme: 'bearer', description: 'The token that `parley serve` prints, or a named token.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'parley_7420',
    description: 'The name ends with the port. Set by `GET /?token=TOKEN` and by `POST /login`.',
  },
};

export const ownSchemas: Record<string, JsonSchema> = {
  Failure: {
    description: 'Every failure. `code` is for programs, `message` for people.',
    ...objectOf({
      success: { const: false },
      error: {
        type: 'object',
        properties: { code: { type: 'string' }, message: { type: 'string' }, details: {} },
        required: ['code', 'message'],
      },
    }),
  },
  Accepted: {
    description: 'The work has started, or the message is queued.',
    ...objectOf({
      success: { const: true },
      data: {
        type: 'object',
        properties: { disposition: { enum: ['started', 'queued', 'handled', 'nothing_to_do'] } },
      },
    }),
  },
  SessionDetails: objectOf({
    sessionId: { type: 'string' },
    isOpen: { type: 'boolean', description: 'Whether the session was open before this request.' },
    cwd: { type: 'string' },
    seq: { type: 'integer', description: 'The sequence number of the newest event.' },
    state: { type: 'object', description: 'As `get_state` returns it, without `todoPhases`.' },
    clients: { type: 'array', items: { type: 'string' }, description: 'The names of the connected clients.' },
  }),
  Health: objectOf({
    status: { const: 'ok' },
    version: { type: 'string' },
    uptimeSeconds: { type: 'integer' },
  }),
  EventPosition: {
    description: 'Fields that every event of a session has in addition.',
    type: 'object',
    properties: {
      seq: { type: 'integer', description: 'Increases by 1 with every event of the session.' },
      firstSeq: { type: 'integer', description: 'Of an event that stands for several: the number of the first one.' },
      client: { type: 'string', description: 'The client whose command caused the event.' },
    },
    required: ['seq'],
  },
  StreamEnd: {
    description: 'The last event of a stream: why the server ends it. Its SSE event is `end`.',
    ...objectOf({ reason: { type: 'string' } }),
  },
};

export function pathParameter(name: string, description: string): Json {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } };
}

/** All properties are required. */
export function objectOf(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** The response of a command or a route that succeeds. */
export function successOf(data: JsonSchema, description: string, more: Record<string, JsonSchema> = {}): Json {
  const schema: JsonSchema = {
    type: 'object',
    properties: { success: { const: true }, data, ...more },
    required: ['success', 'data'],
  };
  return { description, content: { 'application/json': { schema } } };
}

export function jsonBody(schema: JsonSchema, examples: readonly unknown[] = [], isRequired = true): Json {
  return { required: isRequired, content: { 'application/json': { schema, ...examplesOf(examples) } } };
}

export function examplesOf(values: readonly unknown[]): Json {
  if (values.length === 0) return {};
  return { examples: Object.fromEntries(values.map((value, index) => [`example${index + 1}`, { value }])) };
}
