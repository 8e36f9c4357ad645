// The sessions of a tenant in a fleet: what concerns a session that another node has open is relayed to that node.
import { isRecord } from '../../../../base/index.ts';
import type { Clock, Command } from '../../../../contracts/index.ts';
import type { Relay } from '../../../../fleet/index.ts';
import type {
  AuditLog,
  BackendCall,
  BackendReply,
  Caller,
  ClientConnection,
  SessionActivity,
  SessionBackend,
} from '../../../../http/index.ts';
import type { UiAnswer, UiRequest } from '../../../../protocol/index.ts';
import type { ClientRegistry } from '../client-registry.ts';
import { describeCaller } from '../server-backend.ts';
import { isInUse } from './answer-node.ts';
import { relayClient } from './relay-client.ts';
import { decodeReply, type RelayedRequest } from './relay-frames.ts';
import { createUnavailableFault, type RelayedReply, relayRequest } from './relay-request.ts';

export interface FleetBackendOptions {
  /** Of this node alone. */
  readonly local: SessionBackend;
  readonly relay: Relay;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly commands: ReadonlyMap<string, Command>;
  readonly audit: AuditLog;
  readonly clients: ClientRegistry;
  /** The session is open in this process. */
  isOpen(sessionId: string): boolean;
  /** Whether a process is known to have ended before its registration has expired. */
  hasEnded(process: string): Promise<boolean>;
}

/** How long a session is looked for that is being closed on one node and not open on another one yet. */
const SEARCH_MS = 15_000;
const FIRST_RETRY_MS = 25;
const MAX_RETRY_MS = 400;

export class FleetBackend implements SessionBackend {
  readonly #options: FleetBackendOptions;

  constructor(options: FleetBackendOptions) {
    this.#options = options;
  }

  async call(call: BackendCall): Promise<BackendReply> {
    const { local, commands } = this.#options;
    const canRepeat = commands.get(call.command)?.access === 'read';
    const { caller, command, params, sessionId, shouldWait } = call;
    const request = { name: 'call', caller, command, params, sessionId, shouldWait } as const;
    const target = sessionId ?? findNamedSession(call);
    return this.#request(target, { request, canRepeat, local: () => local.call(call), decode: decodeReply });
  }

  async serveConnection(connection: ClientConnection): Promise<void> {
    const { session } = connection.params;
    await this.#findAndDo(session, {
      local: async () => ({ value: await this.#options.local.serveConnection(connection) }),
      remote: async (sessionId, nodeId) =>
        (await this.#relayClient(connection, sessionId, nodeId)) === 'served' ? { value: undefined } : 'absent',
    });
  }

  describeSession(id: string) {
    const local = () => this.#options.local.describeSession(id);
    return this.#request(id, { request: { name: 'describe' }, canRepeat: true, local });
  }

  /** Of a session on another node it is only known whether a run has no end yet. */
  async listActivities(ids: readonly string[]): Promise<ReadonlyMap<string, SessionActivity>> {
    const { local, relay } = this.#options;
    const [own, others] = await Promise.all([local.listActivities(ids), relay.database.listHeldSessions(ids)]);
    const activities = [...others].map(([id, isRunning]) => [id, isRunning ? 'running' : 'idle'] as const);
    return new Map([...activities, ...own]);
  }

  listDialogs(sessionId: string): Promise<readonly UiRequest[]> {
    const local = () => this.#options.local.listDialogs(sessionId);
    return this.#request(sessionId, { request: { name: 'dialogs' }, canRepeat: true, local });
  }

  answerDialog(sessionId: string, requestId: string, answer: UiAnswer, caller: Caller): Promise<boolean> {
    const local = () => this.#options.local.answerDialog(sessionId, requestId, answer, caller);
    const request = { name: 'answer', requestId, answer, caller } as const;
    return this.#request(sessionId, { request, canRepeat: false, local });
  }

  exportSession(sessionId: string, { branchOnly }: { readonly branchOnly: boolean }): Promise<string> {
    const local = () => this.#options.local.exportSession(sessionId, { branchOnly });
    return this.#request(sessionId, { request: { name: 'export', branchOnly }, canRepeat: true, local });
  }

  async #relayClient(connection: ClientConnection, sessionId: string, nodeId: string): Promise<'served' | 'absent'> {
    const { relay, clock, audit, clients } = this.#options;
    const client = describeCaller(connection.caller);
    let isOpen = false;
    const onOpened = () => {
      isOpen = true;
      audit.write({ action: 'connect', ...client, session: sessionId, node: nodeId });
    };
    try {
      return await clients.relay(connection, () =>
        relayClient({ ...{ relay, clock, nodeId, sessionId, connection, onOpened } }),
      );
    } finally {
      if (isOpen) audit.write({ action: 'disconnect', ...client, session: sessionId, node: nodeId });
    }
  }

  async #request<T, Wire = T>(
    sessionId: string | undefined,
    { request, canRepeat, local, decode = (value) => value as unknown as T }: RequestPlan<T, Wire>,
  ): Promise<T> {
    const { relay, clients } = this.#options;
    return this.#findAndDo(sessionId, {
      local: async () => ({ value: await local() }),
      remote: async (id, nodeId) => {
        const reply: RelayedReply = await clients.relayCall('out', () =>
          relayRequest({ relay, nodeId, sessionId: id, request, canRepeat }),
        );
        return reply === 'absent' ? reply : { value: decode(reply.value as Wire) };
      },
    });
  }

  /** A session can be closed on one node and opened on another one at any time. Then it is looked for again. */
  async #findAndDo<T>(sessionId: string | undefined, { local, remote }: Places<T>): Promise<T> {
    const { clock } = this.#options;
    if (sessionId === undefined) return (await local()).value;
    const endMs = clock.now() + SEARCH_MS;
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      const nodeId = await this.#findNode(sessionId);
      const done = nodeId === undefined ? await this.#tryLocal(sessionId, local) : await remote(sessionId, nodeId);
      if (done !== 'absent') return done.value;
      if (clock.now() > endMs)
        throw createUnavailableFault(`Session ${sessionId} is being moved to another node. Send the call again.`);
      await clock.sleep(waitMs);
    }
  }

  /** The other node that has the session open. */
  async #findNode(sessionId: string): Promise<string | undefined> {
    const { relay, nodeId, isOpen, hasEnded } = this.#options;
    if (isOpen(sessionId)) return undefined;
    const owner = await relay.database.findOwner(sessionId);
    if (!owner || owner.id === nodeId || owner.kind !== 'node' || (await hasEnded(owner.process))) return undefined;
    return owner.id;
  }

  async #tryLocal<T>(sessionId: string, local: Places<T>['local']): Promise<Done<T>> {
    try {
      return await local();
    } catch (thrown) {
      if (!isInUse(thrown)) throw thrown;
      const owner = await this.#options.relay.database.findOwner(sessionId);
      // A process that answers no other nodes.
      if (owner && owner.kind !== 'node') throw thrown;
      return 'absent';
    }
  }
}

interface RequestPlan<T, Wire> {
  readonly request: RelayedRequest;
  readonly canRepeat: boolean;
  local(): Promise<T>;
  decode?(value: Wire): T;
}

/** `absent`: the session is not there any more, and nothing was done. */
type Done<T> = { readonly value: T } | 'absent';

interface Places<T> {
  local(): Promise<{ readonly value: T }>;
  remote(sessionId: string, nodeId: string): Promise<Done<T>>;
}

/** Calls without a session may name one: it is closed, deleted or opened. */
function findNamedSession({ command, params }: BackendCall): string | undefined {
  if (!isRecord(params)) return undefined;
  const id = command === 'start_session' ? params.id : params.sessionId;
  return typeof id === 'string' && id !== '' ? id : undefined;
}
