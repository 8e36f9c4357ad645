// Answers the requests of the HTTP API. Loaded with the first of them.
import { createHttpApp, type HttpAppOptions } from '../../../http/app.ts';
import { getRequestListener } from '../../../http/vendor/node-server.ts';
import type { HttpListenerOptions } from '../../system-ports/http-listener.ts';
import { createRefusalHeaders, formatRefusalBody, INVALID_REQUEST } from '../../system-ports/raw-response.ts';

export function createApiListener(options: HttpAppOptions): HttpListenerOptions['onRequest'] {
  const app = createHttpApp(options);
  return getRequestListener(
    async (request, { incoming, outgoing }) => {
      const sent = new Promise<void>((resolve) => {
        if (outgoing.destroyed || incoming.socket.destroyed) resolve();
        else outgoing.once('close', resolve);
      });
      return app.fetch(request, { remoteAddress: incoming.socket.remoteAddress ?? '', sent });
    },
    // Requests of which the adapter cannot create an address. Failures of the app itself are responses already.
    { errorHandler: () => new Response(formatRefusalBody(INVALID_REQUEST), INVALID_INIT) },
  );
}

const INVALID_INIT = { status: INVALID_REQUEST.status, headers: createRefusalHeaders(INVALID_REQUEST) };
