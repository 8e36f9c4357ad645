// The hub for dialects with many sessions on one connection.
import { createDeferred } from '../base/index.ts';
import type {
  AgentSession,
  HostUi,
  HubListener,
  ProviderAuth,
  SessionHub,
  SessionPool,
  UserSettings,
} from '../contracts/index.ts';
import type { Model } from '../protocol/index.ts';
import { createSessionNotFoundFault } from './session-hub.ts';

/** One session with its own single-session hub. */
export interface HubMember {
  readonly session: AgentSession;
  readonly hub: SessionHub;
  close(): Promise<void>;
}

export interface MultiSessionHub extends SessionHub {
  /** From now on calls can address the session, and the host receives its events. */
  add(member: HubMember): void;
  find(id: string): HubMember | undefined;
  /** The open sessions, oldest first. */
  readonly sessions: readonly AgentSession[];
  /** Does nothing when no open session has this id. */
  closeSession(id: string): Promise<void>;
  /** A session that was closed could not be opened again. */
  reportLost(session: AgentSession): void;
}

/** What all sessions of the process share. */
export interface SharedServices {
  readonly pool: SessionPool;
  readonly userSettings: UserSettings;
  readonly auth: ProviderAuth;
  listModels(): Promise<readonly Model[]>;
}

/** Starts without sessions. `createServices` is called on first use of one of them; the pool opens the sessions. */
export function createMultiSessionHub(createServices: (hub: MultiSessionHub) => SharedServices): MultiSessionHub {
  const members = new HubMembers();
  const exitRequested = createDeferred();
  let services: SharedServices | undefined;
  const getServices = () => {
    services ??= createServices(hub);
    return services;
  };
  const hub: MultiSessionHub = {
    getSession(id) {
      const member = id === undefined ? undefined : members.find(id);
      if (member) return member.session;
      throw createSessionNotFoundFault(id);
    },
    ui: undefined,
    connect: (...host) => members.connect(...host),
    handleHostClosed: () => services?.auth.cancelPending(),
    requestExit: () => exitRequested.resolve(),
    exitRequested: exitRequested.promise,
    waitUntilSettled: () => members.forEachHub((memberHub) => memberHub.waitUntilSettled()),
    reportNotRun(cause) {
      for (const member of members.all) member.hub.reportNotRun(cause);
    },
    abort: () => members.forEachHub((memberHub) => memberHub.abort()),
    close: () => members.closeAll(),
    add(member) {
      void member.hub.exitRequested.then(() => exitRequested.resolve());
      members.add(member);
    },
    find: (id) => members.find(id),
    get sessions() {
      return [...members.all].map(({ session }) => session);
    },
    closeSession: (id) => members.close(id),
    reportLost: (session) => members.reportLost(session),
    get pool() {
      return getServices().pool;
    },
    get userSettings() {
      return getServices().userSettings;
    },
    get auth() {
      return getServices().auth;
    },
    listModels: () => getServices().listModels(),
  };
  return hub;
}

interface HubHost {
  readonly listener: HubListener;
  createUi(session: AgentSession): HostUi;
  onLost(session: AgentSession): void;
}

/** The open sessions and their connections to the host. */
class HubMembers {
  readonly #members = new Set<HubMember>();
  /** Without it, opening a session would take longer the more sessions are open. */
  readonly #byId = new Map<string, HubMember>();
  readonly #disconnects = new Map<HubMember, () => void>();
  #host: HubHost | undefined;

  get all(): Iterable<HubMember> {
    return this.#members;
  }

  add(member: HubMember): void {
    this.#members.add(member);
    this.#byId.set(member.session.id, member);
    member.session.subscribe((event) => {
      if (event.type === 'conversation_changed' && event.reason === 'switched') this.#updateId(member);
    });
    this.#connectMember(member);
  }

  find(id: string): HubMember | undefined {
    return this.#byId.get(id);
  }

  /** An extension has switched the session to another log, which has another id. */
  #updateId(member: HubMember): void {
    if (!this.#members.has(member)) return;
    this.#removeId(member);
    this.#byId.set(member.session.id, member);
  }

  #removeId(member: HubMember): void {
    for (const [id, other] of this.#byId) if (other === member) this.#byId.delete(id);
  }

  /** Connects all current and future members to the host, until the returned function is called. */
  connect(
    listener: HubListener,
    createUi: (session: AgentSession) => HostUi,
    onLost: (session: AgentSession) => void = () => {},
  ): () => void {
    this.#host = { listener, createUi, onLost };
    for (const member of this.#members) this.#connectMember(member);
    return () => {
      this.#host = undefined;
      for (const disconnect of this.#disconnects.values()) disconnect();
      this.#disconnects.clear();
    };
  }

  reportLost(session: AgentSession): void {
    this.#host?.onLost(session);
  }

  #connectMember(member: HubMember): void {
    if (this.#host) this.#disconnects.set(member, member.hub.connect(this.#host.listener, this.#host.createUi));
  }

  async forEachHub(act: (hub: SessionHub) => Promise<void>): Promise<void> {
    await Promise.all([...this.#members].map(({ hub }) => act(hub)));
  }

  async close(id: string): Promise<void> {
    const member = this.find(id);
    if (!member) return;
    try {
      await member.close();
    } finally {
      this.#disconnects.get(member)?.();
      this.#disconnects.delete(member);
      this.#members.delete(member);
      this.#removeId(member);
    }
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#members].map((member) => member.close()));
    this.#members.clear();
    this.#byId.clear();
  }
}
