// The routes of sessions: commands, events and dialogs.
import { safeParse } from 'valibot';
import { Fault, getErrorMessage } from '../base/index.ts';
import type { Clock } from '../contracts/index.ts';
import { uiAnswer } from '../protocol/index.ts';
import type { HttpBackend } from './backend.ts';
import { createCaller, getSessionId, readNumbers } from './backend-call.ts';
import { createEventStream } from './event-stream.ts';
import { addFileRoutes } from './file-routes.ts';
import { type HttpContext, type HttpRouter, readBody, readParams } from './http-context.ts';
import { createErrorResponse, createJsonResponse, createReplyResponse, createThrownResponse } from './responses.ts';
import { addRoutes } from './route-table.ts';
import { addActivities } from './session-activity.ts';
import { addSubmissionRoutes } from './submission-routes.ts';

export interface SessionRouteOptions {
  readonly backend: HttpBackend;
  readonly clock: Clock;
  readonly maxBodyBytes: number;
}

/** Proxies must not collect events before they pass them on. */
const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };

export function addSessionRoutes(app: HttpRouter, options: SessionRouteOptions): void {
  const { backend } = options;
  const call = createCaller(backend);
  addRoutes(app, '/v1/sessions', {
    GET: {
      query: ['query', 'cwd', 'cursor', 'limit'],
      async handle(context) {
        const { query, cwd, cursor } = context.req.query();
        const reply = await call(context, 'list_sessions', { query, cwd, cursor, ...readNumbers(context, 'limit') });
        const sessions = await backend.getSessions(context.get('caller'));
        return createReplyResponse(await addActivities(reply, sessions));
      },
    },
    POST: { handle: (context) => startSession(context, options, { status: 201 }) },
  });
  addRoutes(app, '/v1/sessions/:id', {
    GET: {
      async handle(context) {
        const sessions = await backend.getSessions(context.get('caller'));
        return createJsonResponse({ success: true, data: await sessions.describeSession(getSessionId(context)) });
      },
    },
    DELETE: {
      handle: async (context) =>
        createReplyResponse(await call(context, 'delete_session', { sessionId: getSessionId(context) })),
    },
  });
  addRoutes(app, '/v1/sessions/:id/close', {
    POST: {
      handle: async (context) =>
        createReplyResponse(await call(context, 'close_session', { sessionId: getSessionId(context) })),
    },
  });
  addRoutes(app, '/v1/sessions/:id/fork', {
    POST: { handle: (context) => startSession(context, options, { forkOf: getSessionId(context), status: 200 }) },
  });
  addRoutes(app, '/v1/sessions/:id/commands/:name', {
    POST: { query: ['wait'], handle: (context) => callCommand(context, options, getSessionId(context)) },
  });
  addRoutes(app, '/v1/commands/:name', {
    POST: { query: ['wait'], handle: (context) => callCommand(context, options) },
  });
  addRoutes(app, '/v1/sessions/:id/events', {
    GET: { query: ['after', 'stream'], handle: (context) => followEvents(context, options) },
  });
  addFileRoutes(app, backend);
  addSubmissionRoutes(app, options);
  addDialogRoutes(app, options);
}

async function callCommand(
  context: HttpContext,
  { backend, maxBodyBytes }: SessionRouteOptions,
  sessionId?: string,
): Promise<Response> {
  const params = await readParams(context, maxBodyBytes);
  const reply = await createCaller(backend)(context, context.req.param('name') ?? '', params, sessionId);
  return createReplyResponse(reply);
}

/** A field with another name could be one that restricts the session. */
async function startSession(
  context: HttpContext,
  { backend, maxBodyBytes }: SessionRouteOptions,
  { status, ...fixed }: { readonly forkOf?: string; readonly status: number },
): Promise<Response> {
  const body = await readParams(context, maxBodyBytes);
  const unknown = Object.keys(body).find((name) => !backend.sessionFields.includes(name));
  if (unknown !== undefined && context.get('caller').access === 'full') {
    const known = backend.sessionFields.join(', ');
    throw new Fault('invalid_params', `Unknown field: ${unknown}. The body can have: ${known}.`);
  }
  const reply = await createCaller(backend)(context, 'start_session', { persist: true, ...body, ...fixed });
  const response = createReplyResponse(reply);
  return reply.status === 'settled' ? new Response(response.body, { status, headers: response.headers }) : response;
}

function addDialogRoutes(app: HttpRouter, options: SessionRouteOptions): void {
  const { backend } = options;
  addRoutes(app, '/v1/sessions/:id/dialogs', {
    GET: {
      async handle(context) {
        const sessions = await backend.getSessions(context.get('caller'));
        const dialogs = await sessions.listDialogs(getSessionId(context));
        return createJsonResponse({ success: true, data: { dialogs } });
      },
    },
  });
  addRoutes(app, '/v1/sessions/:id/dialogs/:request', {
    POST: { handle: (context) => answerDialog(context, options) },
  });
}

async function answerDialog(context: HttpContext, { backend, maxBodyBytes }: SessionRouteOptions): Promise<Response> {
  const caller = context.get('caller');
  if (caller.access !== 'full') return createErrorResponse(403, 'forbidden', 'A read-only token cannot answer.');
  const answer = safeParse(uiAnswer, await readBody(context, maxBodyBytes));
  if (!answer.success) {
    const message = 'The body must be {"value": TEXT}, {"confirmed": BOOLEAN} or {"cancelled": true}.';
    return createErrorResponse(400, 'invalid_params', message);
  }
  const request = context.req.param('request') ?? '';
  const sessions = await backend.getSessions(caller);
  const isOpen = await sessions.answerDialog(getSessionId(context), request, answer.output, caller);
  if (isOpen) return createJsonResponse({ success: true, data: null });
  return createErrorResponse(404, 'not_found', `No open dialog has the id ${request}.`);
}

async function followEvents(context: HttpContext, { backend, clock }: SessionRouteOptions): Promise<Response> {
  // Without a body, the connection would stay open for nothing.
  if (context.req.method === 'HEAD') return new Response(null, { headers: EVENT_STREAM });
  const { after, stream = 'delta' } = context.req.query();
  const events = createEventStream(clock);
  const params = {
    ...{ dialect: 'omp', session: context.req.param('id') ?? '', stream },
    after: context.req.header('last-event-id') ?? after,
  };
  const caller = context.get('caller');
  const sessions = await backend.getSessions(caller);
  const served = sessions.serveConnection({
    ...{ transport: events.transport, caller, params },
    close: ({ reason }) => events.close(reason),
  });
  // Ends the heartbeats, and the response if it has begun.
  served.catch((thrown: unknown) => events.close(getErrorMessage(thrown)));
  // The session must be found before the response begins: later the status cannot be changed.
  const failure = await Promise.race([
    served.then(
      () => undefined,
      (thrown: unknown) => ({ thrown }),
    ),
    events.opened,
  ]);
  if (failure) return createThrownResponse(failure.thrown);
  return new Response(events.body, { headers: EVENT_STREAM });
}
