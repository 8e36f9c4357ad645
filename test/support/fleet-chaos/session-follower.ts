// Clients that stay connected to a session: when their connection ends, they connect to another node with their position.
import { onTestFinished } from 'vitest';
import { type ConnectedAgent, connectAgent } from '../../../src/client/index.ts';
import { FLEET_TOKEN } from '../fleet.ts';
import type { WireFrame } from '../frame-collector.ts';
import { EventHistory } from '../server/event-history.ts';
import type { EventSegment } from '../server/event-record.ts';
import { FollowingClient } from '../server/following-client.ts';
import type { Server } from '../server.ts';
import { waitUntil } from '../wait-until.ts';
import type { RandomNumbers } from './chaos-plan.ts';
import type { FleetProcess } from './fleet-process.ts';
import { createNodeChoice, type NodeBalancer } from './node-balancer.ts';

export interface SessionFollower {
  readonly name: string;
  readonly segments: readonly EventSegment[];
  /** The number of the last event that was received. */
  readonly lastSeq: number | undefined;
  readonly connections: number;
  /** Why it has given up. */
  readonly failure: string | undefined;
  close(): Promise<void>;
}

export interface FollowerOptions {
  readonly sessionId: string;
  readonly nodes: readonly FleetProcess<Server>[];
  readonly random: RandomNumbers;
}

/** A connection to a node that does not answer is given up after this time. */
const ATTACH_MS = 10_000;
const RECONNECT_MS = 30;
const ATTACH_LIMIT_MS = 120_000;
const RECONNECT = { initialDelayMs: RECONNECT_MS, maxDelayMs: 500 };

/** The client of this project, which connects again by itself. It reaches the nodes through a proxy, as in a real fleet. */
export async function followByAgent(
  { sessionId, nodes, random }: FollowerOptions,
  balancer: NodeBalancer,
): Promise<SessionFollower> {
  balancer.start(nodes, random);
  const name = `agent of ${sessionId}`;
  const history = new EventHistory(name);
  const agent = await connectRepeatedly(balancer.host, { sessionId, name });
  let connections = 1;
  let failure: string | undefined;
  const receive = (frame: object) => void history.receive(frame as WireFrame, String(agent.lastSeq));
  receive(agent.attachment);
  agent.onAttached((attachment) => {
    connections += 1;
    receive(attachment);
  });
  agent.onSnapshot(receive);
  agent.onEvent(receive);
  agent.onConnectionState((state) => {
    if (state.status === 'closed') failure = state.reason;
  });
  const close = async () => void (await agent.close());
  onTestFinished(close);
  return {
    ...{ name, segments: history.segments, close },
    get lastSeq() {
      return history.lastSeq;
    },
    get connections() {
      return connections;
    },
    get failure() {
      return failure;
    },
  };
}

async function connectRepeatedly(
  host: string,
  { sessionId: session, name: client }: { readonly sessionId: string; readonly name: string },
): Promise<ConnectedAgent> {
  let agent: ConnectedAgent | undefined;
  let problem: unknown;
  await waitUntil(async () => {
    agent = await connectAgent({
      ...{ url: `http://${host}`, token: FLEET_TOKEN, session, client, after: 0, stream: 'delta' },
      ...{ reconnect: RECONNECT, connectTimeoutMs: ATTACH_MS },
    }).catch((thrown: unknown) => {
      problem = thrown;
      return undefined;
    });
    return agent !== undefined;
  }, ATTACH_LIMIT_MS).catch(() => {
    throw new Error(`${client} cannot connect`, { cause: problem });
  });
  return agent as ConnectedAgent;
}

/** A client that reads the frames as they are. */
export class WireFollower implements SessionFollower {
  readonly failure: undefined;
  readonly #client: FollowingClient;
  readonly #chooseNode: () => FleetProcess<Server>;
  #attachTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(kind: 'web-socket' | 'events', { sessionId, nodes, random }: FollowerOptions) {
    const name = `${kind} of ${sessionId}`;
    this.#client = new FollowingClient({ name, kind, sessionId, stream: 'delta' });
    this.#chooseNode = createNodeChoice(nodes, random);
    this.#client.onFrame = ({ type }) => {
      if (type === 'session_attached') clearTimeout(this.#attachTimer);
    };
    this.#client.onEnd = () => {
      clearTimeout(this.#attachTimer);
      if (!this.#isClosed) setTimeout(() => this.#connect(), RECONNECT_MS);
    };
    onTestFinished(() => this.close());
  }

  get name(): string {
    return this.#client.name;
  }

  get segments(): readonly EventSegment[] {
    return this.#client.segments;
  }

  get lastSeq(): number | undefined {
    return this.#client.lastSeq;
  }

  get connections(): number {
    return this.#client.connections;
  }

  /** Resolves when it has the state of the session. */
  async start(): Promise<void> {
    this.#connect();
    await waitUntil(() => this.lastSeq !== undefined, ATTACH_LIMIT_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#attachTimer);
    this.#client.terminate();
  }

  #connect(): void {
    if (this.#isClosed) return;
    this.#attachTimer = setTimeout(() => this.#client.terminate(), ATTACH_MS);
    // The position 0 asks for the state of the session.
    this.#client.connect(this.#chooseNode().running, undefined, String(this.lastSeq ?? 0));
  }
}
