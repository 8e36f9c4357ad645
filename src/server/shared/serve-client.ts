// Serves one client of shared sessions: decodes its lines, runs its calls in the lanes of all clients, and sends replies and events.
import { Fault } from '../../base/index.ts';
import type {
  AgentSession,
  Codec,
  Command,
  HostConnection,
  ProviderAuth,
  SessionPool,
  Transport,
  UserSettings,
} from '../../contracts/index.ts';
import type { ClientAccess, Model } from '../../protocol/index.ts';
import { CLIENT_RATE, RateLimit } from '../../support/rate-limit.ts';
import { CallDispatcher, type CallEnd, type CallHub } from '../call-dispatcher.ts';
import { createHostConnection, type ServerHostConnection } from '../host-connection.ts';
import { Outbox } from '../outbox.ts';
import { createPendingUiRequests, type PendingUiRequests } from '../pending-ui-requests.ts';
import { createSessionNotFoundFault } from '../session-hub.ts';
import { checkAccess } from './check-access.ts';
import { createClientPool } from './client-pool.ts';
import { saveChoices } from './save-choices.ts';
import { type CloseReason, SharedClient } from './shared-client.ts';
import type { SharedSessions } from './shared-sessions.ts';

export type { CloseReason };

/** What happens on a connection, for the audit log and the metrics. */
export interface ClientObserver {
  /** Once per call: when it is accepted, or else when it has ended. */
  onCall(command: Command, sessionId: string | undefined, end?: Pick<CallEnd, 'fault' | 'target' | 'copyOf'>): void;
  onCallEnded(command: Command, durationMs: number, fault?: Fault): void;
  /** A call that needs more access than the client has. */
  onRefused(command: Command, sessionId: string | undefined): void;
  onAnswer(sessionId: string): void;
}

export interface ServeClientOptions {
  readonly shared: SharedSessions;
  readonly transport: Transport;
  readonly codec: Codec;
  readonly commands: ReadonlyMap<string, Command>;
  readonly name: string;
  readonly access: ClientAccess;
  /** The session of a client that has one session. Absent when the client opens its sessions itself. */
  readonly session?: AgentSession | undefined;
  /** The sequence number of the last event that the client has received. */
  readonly after?: string | undefined;
  readonly services: ClientServices;
  readonly maxWaitingBytes: number;
  readonly observer?: ClientObserver | undefined;
  readonly readSchema?: HostConnection['readSchema'];
  /** Ends the connection. */
  close(reason: CloseReason, message: string): void;
}

/** What the clients share beside the sessions. */
export interface ClientServices {
  /** Absent when the process has only one session. */
  readonly pool?: SessionPool | undefined;
  readonly userSettings?: UserSettings | undefined;
  readonly auth?: ProviderAuth | undefined;
  listModels(): Promise<readonly Model[]>;
}

/** Serves the client until it disconnects. The work of its calls continues. */
export async function serveClient(options: ServeClientOptions): Promise<void> {
  const connection = new ClientServer(options);
  await connection.run();
}

class ClientServer {
  readonly #options: ServeClientOptions;
  readonly #client: SharedClient;
  readonly #outbox: Outbox;
  readonly #host: ServerHostConnection;
  readonly #disconnectActions: (() => void)[] = [];
  /** Questions to this client alone, for example by a login that it has started. */
  readonly #ownQuestions: PendingUiRequests;
  readonly #calls: CallDispatcher;
  readonly #isMultiSession: boolean;
  #current: AgentSession | undefined;

  constructor(options: ServeClientOptions) {
    this.#options = options;
    const { shared, transport, codec, name, access, maxWaitingBytes } = options;
    this.#current = options.session;
    this.#isMultiSession = options.session === undefined;
    this.#outbox = new Outbox(transport);
    this.#client = new SharedClient({
      ...{ name, access, codec, outbox: this.#outbox, clock: shared.ports.clock, maxWaitingBytes },
      sessions: options.services.pool ? 'many' : 'one',
      isMultiSession: this.#isMultiSession,
      onReplaced: (previous, next) => {
        if (this.#current === previous) this.#current = next;
      },
      close: (reason, message) => options.close(reason, message),
    });
    const host = createHostConnection({
      ...{ idGenerator: shared.ports.ids, codec, readSchema: options.readSchema },
      send: (frame) => this.#client.send(frame),
    });
    this.#host = { ...host, onDisconnected: (act) => void this.#disconnectActions.push(act) };
    this.#ownQuestions = createPendingUiRequests(shared.ports, (request, session) => {
      const frame = codec.encodeUiRequest(request, session);
      this.#client.send(frame);
      return frame !== undefined;
    });
    this.#calls = this.#createDispatcher();
  }

  async run(): Promise<void> {
    const { shared, transport, codec, after } = this.#options;
    if (after !== undefined && !codec.encodeSnapshot)
      throw new Fault('invalid_params', 'The events of this dialect have no sequence numbers: leave out after.');
    codec.setSender?.((frame) => this.#client.send(frame));
    this.#client.send(codec.encodeReadyFrame());
    if (this.#current) await this.#client.attach(shared.get(this.#current), after);
    // Otherwise a call could wait for a client that has disconnected.
    void transport.readerClosed.then(() => this.#outbox.discard());
    const rate = new RateLimit(shared.ports.clock, CLIENT_RATE);
    for await (const line of transport.lines) {
      // The server has ended the connection. What the client has sent before is not processed any more.
      if (this.#client.isClosed) break;
      if (!rate.take()) {
        this.#client.close('rate_limit', 'Too many frames per second. Connect again and send fewer.');
        break;
      }
      const incoming = codec.decode(line);
      if (incoming.kind === 'answer') this.#answer(incoming);
      else if (incoming.kind === 'host_response') this.#host.receive(incoming.frame);
      else if (incoming.kind === 'refused') this.#calls.reject(incoming.token, incoming.fault);
      else if (incoming.kind === 'call') {
        this.#calls.dispatch(incoming);
        await this.#waitForReader();
      }
    }
    this.#client.close();
    codec.handleHostClosed?.();
    this.#ownQuestions.close();
    this.#host.close();
    for (const act of this.#disconnectActions) act();
  }

  /** Large replies to calls that are sent together would otherwise exceed the limit of a client that reads them. */
  async #waitForReader(): Promise<void> {
    const { shared, maxWaitingBytes } = this.#options;
    // The replies to short calls are sent meanwhile.
    await shared.ports.clock.yieldToEventLoop();
    if (this.#outbox.waitingBytes > maxWaitingBytes) await this.#outbox.waitForSpace();
  }

  #answer({ id, answer }: { id: string; answer: Parameters<SharedClient['answer']>[1] }): void {
    const session = this.#client.answer(id, answer);
    if (session) this.#options.observer?.onAnswer(session.id);
    else this.#ownQuestions.resolve(id, answer);
  }

  #createDispatcher(): CallDispatcher {
    const { commands, codec, shared, observer, services } = this.#options;
    const client = this.#client;
    return new CallDispatcher({
      commands,
      hub: this.#createHub(),
      host: this.#host,
      log: shared.ports.log,
      sendReply: (token, reply) => client.reply(codec.encodeReply(token, reply)) as undefined,
      sendOutcome: (token, outcome) => client.send(codec.encodeOutcome?.(token, outcome)) as undefined,
      shared: {
        lanes: shared.lanes,
        getLaneId: (sessionId) => {
          const session = this.#findSession(sessionId);
          return session ? shared.getLaneId(session) : sessionId;
        },
        admit: (command, call) => {
          const fault = checkAccess(client.access, command, call);
          if (fault) observer?.onRefused(command, call.session ?? this.#current?.id);
          return fault;
        },
        run: (act) => shared.origin.run(client.name, act),
        onAccepted: (command, sessionId) => observer?.onCall(command, sessionId ?? this.#current?.id),
        onEnded: (command, end) => this.#handleCallEnded(command, end),
        saveChanges: (command, sessionId) => saveChoices(services.pool, command, this.#findSession(sessionId)),
        now: () => shared.ports.clock.now(),
      },
    });
  }

  #findSession(id: string | undefined): AgentSession | undefined {
    return id === undefined ? this.#current : this.#options.services.pool?.find(id);
  }

  #handleCallEnded(command: Command, end: CallEnd): void {
    const { sessionId, fault, isAccepted, durationMs } = end;
    const { shared, observer } = this.#options;
    const session = this.#findSession(sessionId);
    this.#client.updateEncoding();
    if (session) shared.markUsed(session);
    if (session && command.access !== 'read') shared.reportStateChange(session, this.#client.name);
    if (!isAccepted) observer?.onCall(command, session?.id ?? sessionId, end);
    observer?.onCallEnded(command, durationMs, fault);
  }

  #createHub(): CallHub {
    const { services, shared } = this.#options;
    const { pool: root } = services;
    const client = this.#client;
    const questions = this.#ownQuestions;
    const getCurrent = () => this.#current;
    const moveTo = async (session: AgentSession, after?: string) => {
      const previous = this.#current;
      this.#current = session;
      if (previous !== session) await client.attach(shared.get(session), after, previous);
    };
    const pool = root && createClientPool({ shared, pool: root, client, isMultiSession: this.#isMultiSession, moveTo });
    return {
      getSession(id) {
        const session = id === undefined ? getCurrent() : (pool?.find(id) ?? getCurrent());
        if (session && (id === undefined || session.id === id)) return session;
        throw createSessionNotFoundFault(id);
      },
      get ui() {
        const session = getCurrent();
        return session && questions.createHostUi(session);
      },
      ...{ pool, userSettings: services.userSettings, auth: services.auth, listModels: services.listModels },
      requestExit() {
        const end = () => client.close('exit_requested', 'The client has asked to end the connection.');
        // The reply to the call is sent first.
        void shared.ports.clock.yieldToEventLoop().then(end);
      },
      // Other clients may use the session: a client that leaves does not stop its runs.
      abort: async () => {},
    };
  }
}
