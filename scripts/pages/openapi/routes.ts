// The operations of the HTTP API that are no calls of commands by name. A test compares them with the routes of the server.
import { type JsonSchema, refTo } from '../json-schema.ts';
import { paramsName, resultName } from './command-operations.ts';
import { BODY_FAILURES, failuresOf, type Json, jsonBody, objectOf, pathParameter, successOf } from './components.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;

const SESSION = { $ref: '#/components/parameters/SessionId' };
const CLIENT = { $ref: '#/components/parameters/ClientName' };
const ACCESS = { $ref: '#/components/parameters/Access' };

interface Route {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly access?: 'read' | 'full';
  readonly parameters?: readonly Json[];
  readonly body?: Json;
  readonly responses: Json;
  /** No token is needed. */
  readonly isPublic?: boolean;
}

export function routePaths(schemas: Schemas): Record<string, Json> {
  return {
    '/v1/sessions': { get: operationOf(listSessions(schemas)), post: operationOf(startSession(schemas)) },
    '/v1/sessions/{sessionId}': { get: operationOf(getSession), delete: operationOf(deleteSession) },
    '/v1/sessions/{sessionId}/close': { post: operationOf(closeSession) },
    '/v1/sessions/{sessionId}/fork': { post: operationOf(forkSession(schemas)) },
    '/v1/sessions/{sessionId}/events': { get: operationOf(followEvents) },
    '/v1/sessions/{sessionId}/dialogs': { get: operationOf(listDialogs) },
    '/v1/sessions/{sessionId}/dialogs/{requestId}': { post: operationOf(answerDialog) },
    ...artifactPaths(schemas),
    '/v1/sessions/{sessionId}/export': { get: operationOf(exportSession) },
    '/v1/submissions': { get: operationOf(listSubmissions(schemas)), post: operationOf(submit) },
    '/v1/submissions/{submissionId}': { get: operationOf(getSubmission) },
    '/v1/submissions/{submissionId}/cancel': { post: operationOf(cancelSubmission) },
    ...serverPaths,
  };
}

function operationOf({ id, tag, summary, access = 'read', parameters = [], body, responses, isPublic }: Route): Json {
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(isPublic ? { security: [] } : { 'x-access': access }),
    ...(isPublic ? {} : { parameters: [...parameters, ACCESS] }),
    ...(body ? { requestBody: body } : {}),
    responses,
  };
}

/** The parameters of a command as query parameters. */
function queryOf(schema: JsonSchema | undefined): Json[] {
  return Object.entries(schema?.properties ?? {}).map(([name, { description, ...property }]) => ({
    name,
    in: 'query',
    ...(description ? { description } : {}),
    ...(schema?.required?.includes(name) ? { required: true } : {}),
    schema: property,
  }));
}

/** The parameters of a command without those that the route sets, or for which it has a default. */
function bodyWithout(schema: JsonSchema | undefined, removed: readonly string[], optional: readonly string[]): Json {
  const { properties = {}, required = [] } = schema ?? {};
  const kept = Object.entries(properties).filter(([name]) => !removed.includes(name));
  const needed = required.filter((name) => !removed.includes(name) && !optional.includes(name));
  const body: JsonSchema = { type: 'object', properties: Object.fromEntries(kept) };
  return jsonBody(needed.length > 0 ? { ...body, required: needed } : body, [], needed.length > 0);
}

const ACTIVITIES = ['running', 'waiting', 'interrupted', 'idle'];

const listSessions = (schemas: Schemas): Route => ({
  id: 'listSessions',
  tag: 'Sessions',
  summary: 'All stored sessions, newest first',
  parameters: [...queryOf(schemas[paramsName('list_sessions')]), CLIENT],
  responses: { 200: successOf(LISTED_SESSIONS, 'The sessions.'), ...failuresOf(400) },
});

/** The route adds what each session is doing to the result of the command. */
const LISTED_SESSIONS: JsonSchema = {
  allOf: [
    refTo(resultName('list_sessions')),
    {
      type: 'object',
      properties: {
        sessions: { type: 'array', items: { type: 'object', properties: { activity: { enum: ACTIVITIES } } } },
      },
    },
  ],
};

const startSession = (schemas: Schemas): Route => ({
  id: 'startSession',
  tag: 'Sessions',
  summary: 'Open a new session, or a stored one by its id. It is stored, unless `persist` is false',
  access: 'full',
  parameters: [CLIENT],
  body: bodyWithout(schemas[paramsName('start_session')], [], ['persist']),
  responses: {
    201: successOf(refTo(resultName('start_session')), 'The session is open.'),
    ...failuresOf(400, 404, 409, ...BODY_FAILURES, 422),
  },
});

const forkSession = (schemas: Schemas): Route => ({
  id: 'forkSession',
  tag: 'Sessions',
  summary: 'Open a copy of a session',
  access: 'full',
  parameters: [SESSION, CLIENT],
  body: bodyWithout(schemas[paramsName('start_session')], ['forkOf', 'mustExist'], ['persist']),
  responses: {
    200: successOf(refTo(resultName('start_session')), 'The copy is open.'),
    ...failuresOf(400, 404, 409, ...BODY_FAILURES, 422),
  },
});

const SUBMISSION = pathParameter('submissionId', 'The id of the submission, which is also that of its session.');

const listSubmissions = (schemas: Schemas): Route => ({
  id: 'listSubmissions',
  tag: 'Submissions',
  summary: 'The submissions of the tenant, newest first',
  parameters: [...queryOf(schemas[paramsName('list_submissions')]), CLIENT],
  responses: { 200: successOf(refTo(resultName('list_submissions')), 'The submissions.'), ...failuresOf(400, 422) },
});

const submit: Route = {
  id: 'submit',
  tag: 'Submissions',
  summary:
    'Let a worker run a prompt in a copy of a repository. With an id that was used before, the earlier submission is returned',
  access: 'full',
  parameters: [CLIENT],
  body: jsonBody(refTo(paramsName('submit')), [], true),
  responses: {
    201: successOf(refTo(resultName('submit')), 'A worker will find the submission.'),
    ...failuresOf(400, 404, ...BODY_FAILURES, 422),
  },
};

const getSubmission: Route = {
  id: 'getSubmission',
  tag: 'Submissions',
  summary: 'The state of a submission, and its result if it has ended',
  parameters: [SUBMISSION, CLIENT],
  responses: { 200: successOf(refTo(resultName('get_submission')), 'The submission.'), ...failuresOf(404, 422) },
};

const cancelSubmission: Route = {
  id: 'cancelSubmission',
  tag: 'Submissions',
  summary: 'Stop a submission',
  access: 'full',
  parameters: [SUBMISSION, CLIENT],
  responses: { 200: successOf(refTo(resultName('cancel_submission')), 'The submission.'), ...failuresOf(404, 422) },
};

const getSession: Route = {
  id: 'getSession',
  tag: 'Sessions',
  summary: 'The state of a session, and who is connected to it',
  parameters: [SESSION],
  responses: { 200: successOf(refTo('SessionDetails'), 'The session.'), ...failuresOf(404, 409, 422) },
};

const deleteSession: Route = {
  id: 'deleteSession',
  tag: 'Sessions',
  summary: 'Delete a session with its artifacts',
  access: 'full',
  parameters: [SESSION, CLIENT],
  responses: { 200: successOf({ type: 'null' }, 'The session is deleted.'), ...failuresOf(404, 409, 422) },
};

const closeSession: Route = {
  id: 'closeSession',
  tag: 'Sessions',
  summary: 'Stop the work of a session and close it. It stays on disk',
  access: 'full',
  parameters: [SESSION, CLIENT],
  responses: { 200: successOf({ type: 'null' }, 'The session is closed.'), ...failuresOf(404, 409, 422) },
};

const EVENTS_TEXT = `Server-sent events. \`data\` is one frame as JSON, \`event\` its type, and \`id\` the sequence number of an event. The first frames are
\`ready\` and \`session_attached\`; a comment line every 10 seconds shows that the connection is alive.`;

const followEvents: Route = {
  id: 'followEvents',
  tag: 'Events',
  summary: 'Follow the events of a session',
  parameters: [
    SESSION,
    {
      name: 'after',
      in: 'query',
      description: 'Send the events after this sequence number first, or a snapshot when that is not possible.',
      schema: { type: 'integer', minimum: 0 },
    },
    {
      name: 'last-event-id',
      in: 'header',
      description: 'The same as `after`, as browsers send it when they connect again. Takes precedence.',
      schema: { type: 'string' },
    },
    {
      name: 'stream',
      in: 'query',
      description: '`delta`: updates of messages contain only what is new.',
      schema: { enum: ['full', 'delta'], default: 'delta' },
    },
    CLIENT,
  ],
  responses: {
    200: {
      description: EVENTS_TEXT,
      content: { 'text/event-stream': { schema: refTo('StreamFrame') } },
    },
    ...failuresOf(400, 404, 409, 422, 503),
  },
};

const listDialogs: Route = {
  id: 'listDialogs',
  tag: 'Dialogs',
  summary: 'The questions of a session that wait for an answer',
  parameters: [SESSION],
  responses: {
    200: successOf(objectOf({ dialogs: { type: 'array', items: refTo('UiRequest') } }), 'The open dialogs.'),
    ...failuresOf(404, 409, 422),
  },
};

const answerDialog: Route = {
  id: 'answerDialog',
  tag: 'Dialogs',
  summary: 'Answer a question. The first answer of all clients counts',
  access: 'full',
  parameters: [SESSION, pathParameter('requestId', 'The `id` of the dialog.'), CLIENT],
  body: jsonBody(refTo('UiAnswer'), [{ value: 'allow' }, { confirmed: true }, { cancelled: true }]),
  responses: {
    200: successOf({ type: 'null' }, 'The answer is used.'),
    ...failuresOf(400, 404, 409, ...BODY_FAILURES, 422),
  },
};

/** Absent until the commands are declared. */
function artifactPaths(schemas: Schemas): Record<string, Json> {
  if (!schemas[resultName('list_artifacts')]) return {};
  const artifact = pathParameter('artifactId', 'The id of the artifact.');
  const read = (id: string, summary: string, command: string, parameters: readonly Json[]): Json => ({
    get: operationOf({
      ...{ id, tag: 'Files', summary, parameters },
      responses: {
        200: successOf(refTo(resultName(command)), 'The result of the command.'),
        ...failuresOf(400, 404, 409, 422),
      },
    }),
  });
  const range = queryOf(schemas[paramsName('read_artifact')]).filter(({ name }) => name !== 'artifactId');
  return {
    '/v1/sessions/{sessionId}/artifacts': read('listArtifacts', 'The artifacts of a session', 'list_artifacts', [
      SESSION,
    ]),
    '/v1/sessions/{sessionId}/artifacts/{artifactId}': read(
      ...(['readArtifact', 'A part of an artifact', 'read_artifact', [SESSION, artifact, ...range]] as const),
    ),
    '/v1/sessions/{sessionId}/artifacts/{artifactId}/file': { get: operationOf(artifactFile(artifact)) },
  };
}

const artifactFile = (artifact: Json): Route => ({
  id: 'downloadArtifact',
  tag: 'Files',
  summary: 'A whole artifact as a file',
  parameters: [SESSION, artifact],
  responses: {
    200: { description: 'The file.', content: { 'application/octet-stream': { schema: { type: 'string' } } } },
    ...failuresOf(400, 404, 409, 422),
  },
});

function flagParameter(name: string, description: string): Json {
  return { name, in: 'query', description, schema: { enum: ['true', 'false'], default: 'false' } };
}

const exportSession: Route = {
  id: 'exportSession',
  tag: 'Files',
  summary: 'A session as one HTML page',
  parameters: [
    SESSION,
    flagParameter('branch', 'The current branch only.'),
    flagParameter('download', 'Browsers save the page and do not show it.'),
  ],
  responses: {
    200: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
    ...failuresOf(400, 404, 409, 422),
  },
};

const serverPaths: Record<string, Json> = {
  '/healthz': {
    get: operationOf({
      ...{ id: 'getHealth', tag: 'Server', summary: 'Whether the server responds', isPublic: true },
      responses: {
        200: { description: 'It does.', content: { 'application/json': { schema: refTo('Health') } } },
        403: { $ref: '#/components/responses/Forbidden' },
      },
    }),
  },
  '/metrics': {
    get: operationOf({
      ...{ id: 'getMetrics', tag: 'Server', summary: 'Metrics in the Prometheus text format 0.0.4' },
      responses: {
        200: { description: 'See docs/observability.md.', content: { 'text/plain': { schema: { type: 'string' } } } },
        ...failuresOf(),
      },
    }),
  },
  '/openapi.json': {
    get: operationOf({
      ...{ id: 'getOpenApi', tag: 'Server', summary: 'This document' },
      responses: {
        200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
        ...failuresOf(),
      },
    }),
  },
  '/login': {
    post: operationOf({
      ...{ id: 'login', tag: 'Server', summary: 'Exchange a token for the cookie of the page', isPublic: true },
      body: jsonBody(objectOf({ token: { type: 'string' } })),
      responses: {
        200: successOf(objectOf({ access: { enum: ['full', 'read'] } }), 'The cookie is set.'),
        ...failuresOf(400, ...BODY_FAILURES),
      },
    }),
  },
};
