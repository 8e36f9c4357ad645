// Opens one connection to a server: the transport, the handshake and the handlers for requests of the server.
import type { Client, ClientOptions, Transport } from '@modelcontextprotocol/client';
import { Fault, getErrorMessage } from '../base/index.ts';
import type { McpHttpServer, McpStdioServer } from '../contracts/index.ts';
import { waitAtMost } from '../support/wait-at-most.ts';
import { createHttpTransport } from './http-transport.ts';
import { getClientCapabilities, registerRequestHandlers } from './request-handlers.ts';
import { NO_TIMEOUT_MS, type ServerScope } from './server-scope.ts';
import { StdioTransport } from './stdio-transport.ts';
import {
  ProtocolError,
  Client as SdkClient,
  SdkHttpError,
  SseError,
  StreamableHTTPClientTransport,
} from './vendor/mcp-client.ts';

/** How long a server may take to end a session over HTTP. */
const END_SESSION_MS = 1000;
const LISTEN_DELAY_MS = 5000;

export interface ConnectionListener {
  /** The connection has ended, except by `close`. */
  onClose(problem: string): void;
  onListChanged(): void;
}

export interface OpenClient {
  readonly client: Client;
  close(): Promise<void>;
}

export function openClient(scope: ServerScope, listener: ConnectionListener, signal: AbortSignal): Promise<OpenClient> {
  const { server } = scope.definition;
  const attempt = new ConnectionAttempt(scope, listener, signal);
  return server.type === 'stdio' ? openStdio(attempt, server) : openHttp(attempt, server);
}

/** Almost all servers know `initialize`, and some end at any other first request. So newer protocols are tried second. */
async function openStdio(attempt: ConnectionAttempt, server: McpStdioServer): Promise<OpenClient> {
  const { definition, context } = attempt.scope;
  const create = () => new StdioTransport({ name: definition.name, server, cwd: context.cwd, ports: context.ports });
  try {
    return await attempt.open(create(), 'legacy');
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    return await attempt.open(create(), 'auto').catch(() => Promise.reject(thrown));
  }
}

/** A server that refuses a POST to its URL may know only the older transport. */
async function openHttp(attempt: ConnectionAttempt, server: McpHttpServer): Promise<OpenClient> {
  const { context, auth: authProvider } = attempt.scope;
  const { ports } = context;
  const create = (kind: 'http' | 'sse') => createHttpTransport(kind, { server, ports, authProvider });
  if (server.type === 'sse') return attempt.open(create('sse'), 'legacy');
  try {
    return await attempt.open(create('http'), 'auto');
  } catch (thrown) {
    if (!isClientError(thrown)) throw thrown;
    return await attempt.open(create('sse'), 'legacy').catch(() => Promise.reject(thrown));
  }
}

function isClientError(thrown: unknown): boolean {
  return thrown instanceof SdkHttpError && thrown.status >= 400 && thrown.status < 500;
}

class ConnectionAttempt {
  readonly scope: ServerScope;
  readonly #listener: ConnectionListener;
  readonly #signal: AbortSignal;

  constructor(scope: ServerScope, listener: ConnectionListener, signal: AbortSignal) {
    this.scope = scope;
    this.#listener = listener;
    this.#signal = signal;
  }

  /** Rejects with an error whose message is the reason. Nothing is left open then. */
  async open(transport: Transport, mode: 'legacy' | 'auto'): Promise<OpenClient> {
    const client = new SdkClient({ name: 'parley', version: this.scope.context.version }, this.#createOptions(mode));
    registerRequestHandlers(client, this.scope);
    const open: OpenClient = { client, close: () => closeClient(this.scope, client, transport) };
    try {
      await this.#connect(client, transport);
    } catch (thrown) {
      await transport.close().catch(() => {});
      throw (await this.scope.auth?.toSignInFault(thrown)) ?? explainFailure(thrown, transport);
    }
    void this.#keepListening(client);
    client.onclose = () => this.#listener.onClose(getProblem(transport) ?? 'it closed the connection');
    // The event stream carries all answers, so that its end is the end of the connection.
    client.onerror = (error) => {
      if (error instanceof SseError) this.#listener.onClose(`its event stream ended: ${error.message}`);
    };
    return open;
  }

  /** Newer protocol versions report changes of lists on a stream of their own, which ends when the network fails. */
  async #keepListening(client: Client): Promise<void> {
    const { clock } = this.scope.context.ports;
    let subscription = client.autoOpenedSubscription;
    while (subscription && (await subscription.closed) === 'remote') {
      const filter = subscription.honoredFilter;
      await clock.sleep(LISTEN_DELAY_MS);
      subscription = client.transport ? await client.listen(filter).catch(() => undefined) : undefined;
      if (subscription) this.#listener.onListChanged();
    }
  }

  #connect(client: Client, transport: Transport): Promise<void> {
    const signal = this.#signal;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      const connected = client.connect(transport, { timeout: NO_TIMEOUT_MS, signal });
      connected.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }

  #createOptions(mode: 'legacy' | 'auto'): ClientOptions {
    const onChanged = () => this.#listener.onListChanged();
    const options = { autoRefresh: false, debounceMs: 0, onChanged };
    return {
      capabilities: getClientCapabilities(this.scope.context),
      versionNegotiation: { mode },
      listChanged: { tools: options, prompts: options, resources: options },
      // Schemas of a server may contain regular expressions that never finish. Its results are passed on as they are.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    };
  }
}

function getProblem(transport: Transport): string | undefined {
  return transport instanceof StdioTransport ? transport.problem : undefined;
}

/** The end of a process explains more than the failed request. */
function explainFailure(thrown: unknown, transport: Transport): unknown {
  const problem = getProblem(transport);
  return problem === undefined ? thrown : new Fault('tool_failed', problem, { cause: thrown });
}

async function closeClient({ context }: ServerScope, client: Client, transport: Transport): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    await waitAtMost(context.ports.clock, END_SESSION_MS, transport.terminateSession().catch(getErrorMessage));
  }
  client.onclose = () => {};
  await client.close();
}
