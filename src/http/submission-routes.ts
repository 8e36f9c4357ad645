// The routes of submissions: prompts that workers run.
import type { HttpBackend } from './backend.ts';
import { createCaller, readNumbers } from './backend-call.ts';
import { type HttpContext, type HttpRouter, readParams } from './http-context.ts';
import { createReplyResponse } from './responses.ts';
import { addRoutes } from './route-table.ts';

export interface SubmissionRouteOptions {
  readonly backend: HttpBackend;
  readonly maxBodyBytes: number;
}

export function addSubmissionRoutes(app: HttpRouter, { backend, maxBodyBytes }: SubmissionRouteOptions): void {
  const call = createCaller(backend);
  const getId = (context: HttpContext) => context.req.param('id') ?? '';
  addRoutes(app, '/v1/submissions', {
    GET: {
      query: ['queue', 'limit'],
      async handle(context) {
        const { queue } = context.req.query();
        return createReplyResponse(
          await call(context, 'list_submissions', { queue, ...readNumbers(context, 'limit') }),
        );
      },
    },
    POST: {
      async handle(context) {
        const reply = await call(context, 'submit', await readParams(context, maxBodyBytes));
        const response = createReplyResponse(reply);
        return reply.status === 'settled'
          ? new Response(response.body, { status: 201, headers: response.headers })
          : response;
      },
    },
  });
  addRoutes(app, '/v1/submissions/:id', {
    GET: {
      handle: async (context) =>
        createReplyResponse(await call(context, 'get_submission', { submissionId: getId(context) })),
    },
  });
  addRoutes(app, '/v1/submissions/:id/cancel', {
    POST: {
      handle: async (context) =>
        createReplyResponse(await call(context, 'cancel_submission', { submissionId: getId(context) })),
    },
  });
}
