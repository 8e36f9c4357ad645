// Connects the HTTP server to the sessions of a tenant that are open in this process: runs commands, and serves connections.
import { Fault } from '../../../base/index.ts';
import type { AgentSession, Codec, Command, SessionHub, Transport } from '../../../contracts/index.ts';
import { loadDialect } from '../../../dialects/index.ts';
import { addPosition } from '../../../dialects/positioned-frame.ts';
import type {
  AuditLog,
  BackendCall,
  BackendReply,
  Caller,
  ClientConnection,
  ConnectionParams,
  SessionActivity,
  SessionBackend,
} from '../../../http/index.ts';
import type { UiAnswer, UiRequest } from '../../../protocol/index.ts';
import { findAnswerProblem } from '../../../server/shared/answer-check.ts';
import { callOnce } from '../../../server/shared/call-once.ts';
import { type ClientObserver, type ClientServices, serveClient } from '../../../server/shared/serve-client.ts';
import type { SharedSession, SharedSessions } from '../../../server/shared/shared-sessions.ts';
import { version } from '../../../support/version.ts';
import type { Metrics } from '../../../telemetry/index.ts';
import { readDialectSchema } from '../schema.ts';
import type { ClientRegistry } from './client-registry.ts';
import { toConnectionEnd } from './connection-end.ts';
import type { SessionOpener } from './session-opener.ts';

export interface ServerBackendOptions {
  readonly hub: SessionHub;
  readonly shared: SharedSessions;
  readonly opener: SessionOpener;
  readonly commands: ReadonlyMap<string, Command>;
  readonly audit: AuditLog;
  readonly metrics: Metrics;
  readonly clients: ClientRegistry;
  readonly files: Parameters<typeof readDialectSchema>[1];
  readonly clientBuffer: number;
}

const STREAMS: readonly string[] = ['full', 'delta'];

export class ServerBackend implements SessionBackend {
  readonly #options: ServerBackendOptions;
  readonly #services: ClientServices;
  /** For calls over HTTP. */
  readonly #callServices: ClientServices;
  #clientCount = 0;

  constructor(options: ServerBackendOptions) {
    this.#options = options;
    const { hub, opener } = options;
    this.#services = {
      pool: opener.createPool(),
      userSettings: hub.userSettings,
      auth: hub.auth,
      listModels: () => hub.listModels(),
    };
    this.#callServices = { ...this.#services, pool: opener.createCallPool() };
  }

  async call({ caller, command, params, sessionId, shouldWait }: BackendCall): Promise<BackendReply> {
    const { shared, commands, opener } = this.#options;
    const session = sessionId === undefined ? undefined : await opener.find(sessionId);
    const observer = this.#createObserver(caller);
    const call = { name: caller.name, access: caller.access, command, params, session, shouldWait, observer };
    const { reply, outcome } = await callOnce({ shared, services: this.#callServices, commands, ...call });
    return reply.status === 'settled' ? { status: 'settled', result: reply.result, outcome } : reply;
  }

  async serveConnection(connection: ClientConnection): Promise<void> {
    const { transport, caller, params } = connection;
    const { shared, commands, clientBuffer, audit, metrics, files, clients } = this.#options;
    const { dialect: dialectName = 'omp', stream = 'full', after } = params;
    if (!STREAMS.includes(stream)) throw new Fault('invalid_params', `stream must be full or delta (got ${stream})`);
    const dialect = await loadDialect(dialectName);
    const session = dialect.isMultiSession ? refuseSessionParams(params) : await this.#openSession(connection);
    this.#clientCount += 1;
    const name = caller.name === '' ? `${dialectName}-${this.#clientCount}` : caller.name;
    const codec = dialect.createCodec({
      ...{ version: version(), stream: stream as 'full' | 'delta', addPosition, clientName: name },
    });
    const counted = countFrames({ transport, codec }, dialectName, metrics);
    const client = describeCaller({ ...caller, name });
    clients.setDialect(connection, dialectName);
    audit.write({ action: 'connect', ...client, session: session?.id });
    try {
      await serveClient({
        ...{ shared, ...counted, commands, name, access: caller.access, session, after },
        services: this.#services,
        maxWaitingBytes: clientBuffer,
        observer: this.#createObserver({ ...caller, name }),
        readSchema: () => readDialectSchema(dialect.name, files),
        close(reason, message) {
          metrics.countDroppedClient(reason);
          connection.close(toConnectionEnd(reason, message));
        },
      });
    } finally {
      audit.write({ action: 'disconnect', ...client });
    }
  }

  async describeSession(id: string) {
    const { hub, shared, opener } = this.#options;
    const open = hub.pool?.find(id);
    const session = open ?? (await opener.find(id));
    const { feed, clients } = shared.get(session);
    const state = session.state();
    return {
      ...{ sessionId: session.id, isOpen: open !== undefined, cwd: session.cwd, seq: feed.journal.lastSeq, state },
      clients: [...clients].map(({ name }) => name),
    };
  }

  async listActivities(ids: readonly string[]) {
    const { shared } = this.#options;
    const wanted = new Set(ids);
    const open = [...shared.all].filter(({ session }) => wanted.has(session.id));
    return new Map(open.map((each) => [each.session.id, describeActivity(each)] as const));
  }

  async listDialogs(sessionId: string): Promise<readonly UiRequest[]> {
    const { shared, opener } = this.#options;
    return shared.get(await opener.find(sessionId)).questions.openRequests;
  }

  async answerDialog(sessionId: string, requestId: string, answer: UiAnswer, caller: Caller): Promise<boolean> {
    const { shared, opener } = this.#options;
    const { questions } = shared.get(await opener.find(sessionId));
    const request = questions.openRequests.find(({ id }) => id === requestId);
    const problem = request && findAnswerProblem(request, answer);
    if (problem) throw new Fault('invalid_params', problem);
    const isAnswered = questions.answer(requestId, answer, { name: caller.name, ask: () => false });
    if (isAnswered) this.#createObserver(caller).onAnswer(sessionId);
    return isAnswered;
  }

  async exportSession(sessionId: string, options: { readonly branchOnly: boolean }): Promise<string> {
    return (await this.#options.opener.find(sessionId)).history.renderHtml(options);
  }

  async #openSession({ params, caller }: ClientConnection): Promise<AgentSession> {
    const { opener, hub, shared } = this.#options;
    if (params.session === undefined && caller.access !== 'full')
      throw new Fault('refused', 'A read-only client must name a session.');
    const session = params.session === undefined ? await opener.create(params.cwd) : await opener.find(params.session);
    // Asked in the background, when the client is attached. Only clients with full access are asked.
    const attached = shared.ports.clock.yieldToEventLoop();
    void attached.then(() => hub.pool?.offerTrust(session)).catch(() => {});
    return session;
  }

  #createObserver(caller: Caller): ClientObserver {
    const { audit, metrics } = this.#options;
    const client = describeCaller(caller);
    return {
      onCall(command, session, { fault, target, copyOf } = {}) {
        if (command.access === 'read') return;
        const sessions = { session, target: target === session ? undefined : target, copyOf };
        audit.write({ action: 'call', ...client, ...sessions, command: command.name, reason: fault?.code });
      },
      onCallEnded: ({ name: command }, durationMs, fault) =>
        metrics.countCall(command, fault?.code ?? 'success', durationMs / 1000),
      onRefused: (command, session) =>
        audit.write({ action: 'refuse', ...client, session, command: command.name, reason: 'read-only access' }),
      onAnswer: (session) => audit.write({ action: 'answer', ...client, session }),
    };
  }
}

/** For the audit log. */
export function describeCaller({ name, token, tenant, remoteAddress }: Caller) {
  return { client: name === '' ? undefined : name, token, tenant, remoteAddress };
}

/** Counts the frames in both directions, without a further object for each. */
function countFrames({ transport, codec }: Counted, dialect: string, metrics: Metrics): Counted {
  const { decode } = codec;
  codec.decode = (line) => {
    metrics.countFrame(dialect, 'in', 'text' in line ? line.text.length : 0);
    return decode(line);
  };
  return {
    codec,
    transport: {
      ...transport,
      write(chunks) {
        let size = 0;
        for (const chunk of chunks) size += chunk.length;
        metrics.countFrame(dialect, 'out', size);
        return transport.write(chunks);
      },
    },
  };
}

interface Counted {
  readonly transport: Transport;
  readonly codec: Codec;
}

function describeActivity({ session, questions }: SharedSession): SessionActivity {
  if (questions.openRequests.length > 0) return 'waiting';
  if (!session.runs.isSettled) return 'running';
  return session.runs.isInterrupted ? 'interrupted' : 'idle';
}

/** Ignored, they would seem to have an effect. */
function refuseSessionParams(params: ConnectionParams): undefined {
  const given = (['session', 'after', 'cwd'] as const).find((name) => params[name] !== undefined);
  if (given === undefined) return undefined;
  throw new Fault('invalid_params', `Clients of this dialect open their sessions themselves: leave out ${given}.`);
}
