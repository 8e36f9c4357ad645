// The routes of files: artifacts and exports of a session.
import type { HttpBackend } from './backend.ts';
import { createCaller, getSessionId, readFlag, readNumbers } from './backend-call.ts';
import type { HttpContext, HttpRouter } from './http-context.ts';
import { createReplyResponse, createTextResponse, EXPORT_SECURITY_POLICY } from './responses.ts';
import { addRoutes } from './route-table.ts';

/** A part of an artifact, as `read_artifact` returns it. */
interface ArtifactPart {
  readonly text?: string;
  readonly base64?: string;
  readonly totalBytes: number;
  readonly nextOffset?: number;
}

export function addFileRoutes(app: HttpRouter, backend: HttpBackend): void {
  const call = createCaller(backend);
  addRoutes(app, '/v1/sessions/:id/export', {
    GET: { query: ['branch', 'download'], handle: (context) => exportSession(context, backend) },
  });
  addRoutes(app, '/v1/sessions/:id/artifacts', {
    GET: {
      handle: async (context) => createReplyResponse(await call(context, 'list_artifacts', {}, getSessionId(context))),
    },
  });
  addRoutes(app, '/v1/sessions/:id/artifacts/:artifact', {
    GET: {
      query: ['offset', 'limit'],
      async handle(context) {
        const params = { artifactId: context.req.param('artifact'), ...readNumbers(context, 'offset', 'limit') };
        return createReplyResponse(await call(context, 'read_artifact', params, getSessionId(context)));
      },
    },
  });
  addRoutes(app, '/v1/sessions/:id/artifacts/:artifact/file', {
    GET: { handle: (context) => sendArtifact(context, backend) },
  });
}

async function exportSession(context: HttpContext, backend: HttpBackend): Promise<Response> {
  const id = getSessionId(context);
  const isDownload = readFlag(context, 'download');
  const sessions = await backend.getSessions(context.get('caller'));
  const page = await sessions.exportSession(id, { branchOnly: readFlag(context, 'branch') });
  return createTextResponse(page, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': EXPORT_SECURITY_POLICY,
    'content-disposition': formatDisposition(isDownload ? 'attachment' : 'inline', `${id}.html`),
  });
}

/** The whole artifact. Read in parts, when the client has received those before. */
async function sendArtifact(context: HttpContext, backend: HttpBackend): Promise<Response> {
  const artifactId = context.req.param('artifact') ?? '';
  const call = createCaller(backend);
  const read = (offset: number) => call(context, 'read_artifact', { artifactId, offset }, getSessionId(context));
  const first = await read(0);
  if (first.status !== 'settled') return createReplyResponse(first);
  context.set('isReadInParts', true);
  let part: ArtifactPart | undefined = first.result as ArtifactPart;
  const { totalBytes } = part;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (part) controller.enqueue(decodePart(part));
        const offset = part?.nextOffset;
        if (offset === undefined) {
          controller.close();
          return;
        }
        const reply = await read(offset);
        if (reply.status !== 'settled') throw new Error('The artifact cannot be read further.');
        part = reply.result as ArtifactPart;
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      // Never shown as a page, whatever the output of a tool contains.
      'content-type': 'application/octet-stream',
      'content-disposition': formatDisposition('attachment', `${artifactId}.txt`),
      'content-length': String(totalBytes),
    },
  });
}

function decodePart({ text, base64 }: ArtifactPart): Uint8Array {
  return text === undefined ? Buffer.from(base64 ?? '', 'base64') : new TextEncoder().encode(text);
}

function formatDisposition(kind: 'inline' | 'attachment', name: string): string {
  return `${kind}; filename="${name.replaceAll(/[^\w.-]/g, '_')}"`;
}
