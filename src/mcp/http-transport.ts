// The HTTP transports of MCP: Streamable HTTP, and the older one with an event stream.
import type { AuthProvider, OAuthClientProvider, ReconnectionScheduler } from '@modelcontextprotocol/client';
import { Fault } from '../base/index.ts';
import type { Clock, McpHttpServer, Ports } from '../contracts/index.ts';
import { SSEClientTransport, StreamableHTTPClientTransport } from './vendor/mcp-client.ts';

/** Size of one event of a stream, or of a whole response that is not a stream. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;

export interface HttpTransportOptions {
  readonly server: McpHttpServer;
  readonly ports: Ports;
  readonly authProvider: AuthProvider | OAuthClientProvider | undefined;
}

type HttpTransport = StreamableHTTPClientTransport | SSEClientTransport;

/** Redirects are followed only within the origin of the URL, so that headers and tokens do not reach other servers. */
export function createHttpTransport(kind: 'http' | 'sse', options: HttpTransportOptions): HttpTransport {
  const { server, ports, authProvider } = options;
  const shared = {
    fetch: createLimitedFetch(ports),
    requestInit: { headers: { ...server.headers } },
    redirectPolicy: 'same-origin' as const,
    ...(authProvider ? { authProvider } : {}),
  };
  const url = new URL(server.url);
  if (kind === 'sse') return new SSEClientTransport(url, shared);
  // Timers of the clock do not keep the process alive.
  const reconnectionScheduler: ReconnectionScheduler = (reconnect, delayMs) => ports.clock.after(delayMs, reconnect);
  return new StreamableHTTPClientTransport(url, { ...shared, reconnectionScheduler });
}

/** Ends responses whose messages are too large, and lets other tasks run while a server sends without a pause. */
function createLimitedFetch({ fetch, clock }: Ports): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const body = response.body.pipeThrough(createLimit(clock, isStream));
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

function createLimit(clock: Clock, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    async transform(chunk, controller) {
      // An event ends with an empty line; long data has no short lines, so that any two line ends in a row are close enough.
      const end = isStream ? findLastEventEnd(chunk) : -1;
      size = end === -1 ? size + chunk.length : chunk.length - end;
      if (size > MAX_MESSAGE_BYTES) {
        throw new Fault('tool_failed', `The server sent a message of more than ${MAX_MESSAGE_BYTES / 1024 ** 2} MiB`);
      }
      controller.enqueue(chunk);
      await clock.yieldToEventLoop();
    },
  });
}

/** The index after the last empty line, or -1. An empty line that is split between two chunks is not found. */
function findLastEventEnd(chunk: Uint8Array): number {
  for (let at = chunk.lastIndexOf(LF); at > 0; at = chunk.lastIndexOf(LF, at - 1)) {
    const before = chunk[at - 1] === CR ? at - 2 : at - 1;
    if (before >= 0 && chunk[before] === LF) return at + 1;
  }
  return -1;
}
