// Registers routes: each refuses query parameters that it does not know, and answers other methods with those that it has.
import { Fault } from '../base/index.ts';
import type { HttpContext, HttpRouter } from './http-context.ts';
import { createErrorResponse } from './responses.ts';

export interface Route {
  /** Names of query parameters, in addition to those of all requests with a token. */
  readonly query?: readonly string[];
  handle(context: HttpContext): Response | Promise<Response>;
}

type Method = 'GET' | 'POST' | 'DELETE';

/** Who calls, and with which access. */
const CALLER_PARAMS = ['access', 'client'];

export function addRoutes(app: HttpRouter, pattern: string, routes: Readonly<Partial<Record<Method, Route>>>): void {
  for (const [method, { query = [], handle }] of Object.entries(routes)) {
    app.on(method, pattern, (context) => {
      checkQuery(new URL(context.req.url).searchParams, [...CALLER_PARAMS, ...query]);
      return handle(context);
    });
  }
  addOtherMethods(app, pattern, Object.keys(routes));
}

/** OPTIONS has the methods of a route; other methods are not allowed. */
export function addOtherMethods(app: HttpRouter, pattern: string, methods: readonly string[]): void {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  app.all(pattern, (context) => {
    const { method, path } = context.req;
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } });
    const response = createErrorResponse(405, 'method_not_allowed', `${path} allows ${allow}, not ${method}.`);
    response.headers.set('allow', allow);
    return response;
  });
}

/** A parameter that restricts, such as `access`, must never be ignored because of its spelling or because there are two. */
export function checkQuery(query: URLSearchParams, allowed: readonly string[]): void {
  for (const name of query.keys()) {
    if (!allowed.includes(name))
      throw new Fault('invalid_params', `Unknown query parameter: ${name}. Allowed here: ${allowed.join(', ')}.`);
    if (query.getAll(name).length > 1)
      throw new Fault('invalid_params', `The query parameter ${name} must not be repeated.`);
  }
}
