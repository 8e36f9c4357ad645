// The HTTP API: commands, sessions, events, dialogs and the files of the page.
import { Fault, getErrorMessage, isRecord } from '../base/index.ts';
import type { Clock, Log } from '../contracts/index.ts';
import type { ClientAccess } from '../protocol/index.ts';
import type { AuditLog } from './audit-log.ts';
import type { HttpBackend } from './backend.ts';
import { readCaller } from './caller.ts';
import { type HttpContext, type HttpRouter, readBody } from './http-context.ts';
import { createPageHeaders } from './page-handler.ts';
import type { Refusal, RequestFacts, RequestGuard } from './request-guard.ts';
import { limitResponses, type ResponseLimits } from './response-limit.ts';
import { createErrorResponse, createJsonResponse, createTextResponse, createThrownResponse } from './responses.ts';
import { addOtherMethods, addRoutes } from './route-table.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { addSessionRoutes } from './session-routes.ts';
import { Hono } from './vendor/hono.ts';

export interface HttpAppOptions {
  readonly backend: HttpBackend;
  readonly guard: RequestGuard;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  readonly maxBodyBytes: number;
  /** For tests. */
  readonly responseLimits?: ResponseLimits;
  getCookieName(): string;
  /** A request was not allowed. */
  onRefused?(code: string): void;
  /** Returns the token for a code that logs a browser in once. */
  takeLoginCode(code: string): string | undefined;
}

/** Of a refused request, in the audit log. */
const MAX_PATH_LENGTH = 200;

export function createHttpApp(options: HttpAppOptions): HttpRouter {
  const { backend, guard } = options;
  const app: HttpRouter = new Hono();
  app.onError((thrown) => {
    if (!(thrown instanceof Fault)) options.log('request failed', { error: getErrorMessage(thrown) });
    return addHeaders(createThrownResponse(thrown));
  });
  app.notFound(({ req: { path } }) => {
    const message = `There is no ${path.slice(0, MAX_PATH_LENGTH)}. /docs lists all addresses.`;
    return addHeaders(createErrorResponse(404, 'not_found', message));
  });
  app.use('*', async (context, next) => {
    const facts = readFacts(context);
    const refusal = guard.check(facts);
    if (refusal) return refuse(context, options, refusal);
    const origin = guard.getListedOrigin(facts);
    if (origin !== undefined && facts.method === 'OPTIONS') return addCors(new Response(null, { status: 204 }), origin);
    await next();
    context.res = addHeaders(context.res);
    if (origin !== undefined) addCors(context.res, origin);
    return undefined;
  });
  app.get('/healthz', async () => createJsonResponse(backend.getHealth()));
  addOtherMethods(app, '/healthz', ['GET']);
  addPageRoutes(app, options);
  app.use('*', async (context, next) => {
    const facts = readFacts(context);
    await guard.loadToken(facts);
    const admission = guard.authorize(facts);
    if ('refusal' in admission) return refuse(context, options, admission.refusal);
    const { remoteAddress } = context.env;
    const reply = readCaller(admission.owner, {
      ...{ name: context.req.query('client') ?? context.req.header('x-parley-client'), remoteAddress },
      ...{ access: context.req.query('access'), defaultName: `http ${admission.owner.name}` },
    });
    if ('refusal' in reply) return refuse(context, options, reply.refusal);
    context.set('caller', reply.caller);
    return next();
  });
  limitResponses(app, options.responseLimits);
  addRoutes(app, '/metrics', {
    GET: {
      async handle(context) {
        if (context.get('caller').tenant === undefined)
          return new Response(await backend.renderMetrics(), { headers: PROMETHEUS_TEXT });
        return createErrorResponse(403, 'forbidden', 'The metrics are about all tenants. Use a token of the server.');
      },
    },
  });
  addRoutes(app, '/openapi.json', {
    GET: { handle: async () => createTextResponse(await backend.readOpenApi(), JSON_TEXT) },
  });
  addSessionRoutes(app, options);
  return app;
}

const PROMETHEUS_TEXT = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
const JSON_TEXT = { 'content-type': 'application/json; charset=utf-8' };

/** The files of the page are public, because they contain no data. The page asks for a token if it has no cookie. */
function addPageRoutes(app: HttpRouter, options: HttpAppOptions): void {
  const { backend } = options;
  app.get('/', async (context) => {
    const { code, token = code === undefined ? undefined : (options.takeLoginCode(code) ?? code) } =
      context.req.query();
    if (token === undefined) return servePage(backend, 'index.html');
    const session = context.req.query('session');
    const location = session === undefined ? '/' : `/?session=${encodeURIComponent(session)}`;
    return logIn(context, options, token, () => new Response(null, { status: 302, headers: { location } }));
  });
  app.post('/login', async (context) => {
    const body = await readBody(context, options.maxBodyBytes);
    const token = isRecord(body) && typeof body.token === 'string' ? body.token : '';
    return logIn(context, options, token, (access) => createJsonResponse({ success: true, data: { access } }));
  });
  app.get('/docs', async () => servePage(backend, 'docs.html'));
  app.get('/assets/:name', async (context) => servePage(backend, `assets/${context.req.param('name')}`));
  app.get('/favicon.svg', async () => servePage(backend, 'favicon.svg'));
  for (const path of ['/', '/docs', '/assets/:name', '/favicon.svg']) addOtherMethods(app, path, ['GET']);
  addOtherMethods(app, '/login', ['POST']);
}

async function logIn(
  context: HttpContext,
  options: HttpAppOptions,
  token: string,
  createResponse: (access: ClientAccess) => Response,
): Promise<Response> {
  const { guard, audit, getCookieName } = options;
  const facts = readFacts(context);
  await guard.load(token, facts);
  const admission = guard.authorizeToken(token, facts);
  if ('refusal' in admission) return refuse(context, options, admission.refusal);
  const { name, access, tenant } = admission.owner;
  audit.write({ action: 'login', token: name, tenant, remoteAddress: context.env.remoteAddress });
  const response = createResponse(access);
  const isEncrypted = context.req.header('x-forwarded-proto') === 'https';
  response.headers.set('set-cookie', formatCookie(getCookieName(), token, isEncrypted));
  return response;
}

function readFacts(context: HttpContext): RequestFacts {
  const url = new URL(context.req.url);
  return {
    method: context.req.method,
    path: url.pathname,
    query: url.searchParams,
    header: (name) => context.req.header(name),
    remoteAddress: context.env.remoteAddress,
  };
}

function refuse(context: HttpContext, options: HttpAppOptions, refusal: Refusal): Response {
  const { status, code, message, retryAfter } = refusal;
  const { remoteAddress } = context.env;
  const path = context.req.path.slice(0, MAX_PATH_LENGTH);
  options.audit.write({ action: 'refuse', remoteAddress, reason: `${code}: ${context.req.method} ${path}` });
  options.onRefused?.(code);
  const response = createErrorResponse(status, code, message);
  if (status === 401) response.headers.set('www-authenticate', 'Bearer');
  if (retryAfter !== undefined) response.headers.set('retry-after', String(retryAfter));
  return addHeaders(response);
}

async function servePage(backend: HttpBackend, path: string): Promise<Response> {
  const file = await backend.readPageFile(path);
  if (!file) return createErrorResponse(404, 'not_found', `There is no file ${path}.`);
  return new Response(file.bytes as Uint8Array<ArrayBuffer>, { headers: createPageHeaders(file) });
}

/** Other sites cannot cause a request with this cookie, and scripts cannot read it. `isEncrypted`: a proxy with TLS is in front. */
function formatCookie(name: string, token: string, isEncrypted: boolean): string {
  return `${name}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000${isEncrypted ? '; Secure' : ''}`;
}

/** A response may have its own policy. */
function addHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}

/** Pages of listed origins send a token; cookies are not accepted from them. */
function addCors(response: Response, origin: string): Response {
  response.headers.set('access-control-allow-origin', origin);
  response.headers.set('access-control-allow-headers', 'authorization, content-type, last-event-id, x-parley-client');
  response.headers.set('access-control-allow-methods', 'GET, POST, DELETE');
  response.headers.set('access-control-expose-headers', 'content-disposition, retry-after');
  response.headers.set('cross-origin-resource-policy', 'cross-origin');
  response.headers.append('vary', 'Origin');
  return addHeaders(response);
}
