// Makes a server with a database a node of a fleet: it answers other nodes, and relays what concerns their sessions.
import type { Clock, IdGenerator, Log } from '../../../../contracts/index.ts';
import { Relay, type RelayChannel } from '../../../../fleet/index.ts';
import type { TenantStorage } from '../../../session-storage.ts';
import { answerNode } from './answer-node.ts';
import { explainInUse } from './explain-in-use.ts';
import { FleetBackend, type FleetBackendOptions } from './fleet-backend.ts';

export interface FleetOptions extends Pick<FleetBackendOptions, 'local' | 'commands' | 'audit' | 'clients' | 'isOpen'> {
  readonly storage: TenantStorage;
  readonly ports: { readonly clock: Clock; readonly ids: IdGenerator; readonly log: Log };
}

export interface RunningFleet {
  readonly backend: FleetBackend;
  /** The sessions of this node are being closed: other nodes open them themselves. */
  stop(): void;
  /** Names the node that has the session open, and what the client can do. */
  explain(thrown: unknown, sessionId: string): Promise<unknown>;
  /** Called after the sessions are closed. */
  close(): Promise<void>;
}

export async function startFleet({ storage, ports, ...options }: FleetOptions): Promise<RunningFleet> {
  const { local, clients, isOpen } = options;
  const { clock, ids, log } = ports;
  const { database, cipher, tenant, holder } = storage.postgres;
  const hasEnded = (process: string) => holder.hasEnded(process);
  const nodeId = holder.id;
  let isStopping = false;
  const isHere = async (sessionId: string) =>
    !isStopping && (isOpen(sessionId) || (await relay.database.findOwner(sessionId))?.id === nodeId);
  const answer = (channel: RelayChannel) =>
    clients.relayCall('in', () => answerNode(channel, { backend: local, clients, isHere }));
  const relay = new Relay({
    ...{ database, cipher, tenant, nodeId, clock, ids, log, hasEnded },
    onOpened: (channel) => void answer(channel),
  });
  await relay.start();
  return {
    backend: new FleetBackend({ ...options, relay, nodeId, clock, hasEnded }),
    stop() {
      isStopping = true;
    },
    explain: (thrown, sessionId) => explainInUse(thrown, sessionId, relay),
    close: () => relay.close(),
  };
}
