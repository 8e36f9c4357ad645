// MCP servers over loopback HTTP: those of the SDK, and one with the older event stream.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { McpHttpServer, McpServerDefinition } from '../../src/contracts/index.ts';

type WebHandler = (request: Request) => Promise<Response>;

export function defineHttp(url: string, fields: Partial<McpHttpServer> = {}): McpServerDefinition {
  return { name: 'web', source: 'test', server: { type: 'http', url, headers: {}, ...fields } };
}

/** A server with the tools `echo` and `slow`: the second one answers after `release`. */
export function createSdkServer(release: Promise<void> = Promise.resolve()): McpServer {
  const server = new McpServer({ name: 'sdk', version: '1' }, { capabilities: { logging: {} } });
  const reply = (text: string) => ({ content: [{ type: 'text' as const, text }] });
  server.registerTool('echo', { description: 'Echo', annotations: { readOnlyHint: true } }, () => reply('hello'));
  server.registerTool('slow', { description: 'Slow' }, async (context) => {
    await context.mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken: context.mcpReq._meta?.progressToken ?? 0, progress: 1, total: 2, message: 'half' },
    });
    await release;
    return reply('late');
  });
  return server;
}

/** Speaks the newest protocol version, and older ones without sessions. */
export function handleStateless(): RequestListener {
  const { fetch } = createMcpHandler(() => createSdkServer());
  return toListener((request) => fetch(request));
}

/** Protocol versions with sessions, whose streams can be resumed. */
export function handleWithSessions(release?: Promise<void>) {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const events = new Map<string, { streamId: string; message: unknown }>();
  const handler: WebHandler = async (request) => {
    const known = transports.get(request.headers.get('mcp-session-id') ?? '');
    if (known) return known.handleRequest(request);
    if (request.headers.has('mcp-session-id')) return new Response('no such session', { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
      retryInterval: 10,
      eventStore: {
        async storeEvent(streamId, message) {
          const id = `${events.size}`;
          events.set(id, { streamId, message });
          return id;
        },
        async replayEventsAfter(lastId, { send }) {
          const streamId = events.get(lastId)?.streamId ?? '';
          for (const [id, event] of events) {
            if (event.streamId === streamId && Number(id) > Number(lastId)) await send(id, event.message as never);
          }
          return streamId;
        },
      },
    });
    await createSdkServer(release).connect(transport);
    return transport.handleRequest(request);
  };
  return { listener: toListener(handler), transports };
}

/** The transport of protocol version 2024-11-05: GET opens a stream, POST to another path sends messages. */
export function handleEventStream(): RequestListener {
  let stream: ServerResponse | undefined;
  return async (request, response) => {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /messages\n\n');
      return;
    }
    if (request.url !== '/messages') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await readBody(request)) as {
      id?: number;
      method: string;
      params: unknown;
    };
    response.writeHead(202).end();
    if (id === undefined) return;
    const result = {
      initialize: {
        protocolVersion: '2024-11-05',
        capabilities: { tools: {} },
        serverInfo: { name: 'old', version: '1' },
      },
      'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: JSON.stringify(params) }] },
    }[method];
    stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

export function toListener(handler: WebHandler): RequestListener {
  return async (request, response) => {
    const aborted = new AbortController();
    response.once('close', () => aborted.abort());
    const body = ['POST', 'DELETE'].includes(request.method ?? '') ? await readBody(request) : undefined;
    const answer = await handler(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
        signal: aborted.signal,
        ...(body ? { body } : {}),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    try {
      for await (const chunk of answer.body ?? []) response.write(chunk);
    } catch {
      // The client has closed the connection.
    }
    response.end();
  };
}
