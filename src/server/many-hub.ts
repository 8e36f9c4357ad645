// First floor, server: as many sessions as a host opens, behind one connection. Composes none of them.
import { deferred } from '../base/index.ts';
import type { AgentSession, Desk, HostUi, HubListener, SessionHub } from '../contracts/index.ts';
import { noSession } from './hub.ts';

/** One session with what belongs to it. */
export interface Member {
  readonly session: AgentSession;
  readonly hub: SessionHub;
  close(): Promise<void>;
}

export interface ManyHub extends SessionHub {
  /** From now on calls may name it, and the host hears it. */
  add(member: Member): void;
  find(id: string): Member | undefined;
  /** Those that are open, oldest first. */
  readonly sessions: readonly AgentSession[];
  /** Ends it. Nothing happens when there is none with this id. */
  end(id: string): Promise<void>;
}

/** Begins empty. `deskOf` makes what fills it. */
export function createManyHub(deskOf: (hub: ManyHub) => Desk): ManyHub {
  const members = new Set<Member>();
  const leaving = deferred();
  const farewells = new Map<Member, () => void>();
  let host: { listener: HubListener; uiFor(session: AgentSession): HostUi } | undefined;
  // By the id it has now: code inside may have gone on with another conversation.
  const find = (id: string) => [...members].find(({ session }) => session.id === id);
  const join = (member: Member) => {
    if (host) farewells.set(member, member.hub.connect(host.listener, host.uiFor));
  };
  const every = async (act: (hub: SessionHub) => Promise<void>) => {
    await Promise.all([...members].map(({ hub }) => act(hub)));
  };
  const hub: ManyHub = {
    session(id) {
      const member = id === undefined ? undefined : find(id);
      if (member) return member.session;
      throw noSession(id);
    },
    ui: undefined,
    connect(listener, uiFor) {
      host = { listener, uiFor };
      for (const member of members) join(member);
      return () => {
        host = undefined;
        for (const farewell of farewells.values()) farewell();
        farewells.clear();
      };
    },
    hostGone: () => desk?.auth.giveUp(),
    leave: () => leaving.resolve(),
    leaving: leaving.promise,
    settled: () => every((one) => one.settled()),
    reportNotRun(cause) {
      for (const member of members) member.hub.reportNotRun(cause);
    },
    abort: () => every((one) => one.abort()),
    async close() {
      await Promise.all([...members].map((member) => member.close()));
      members.clear();
    },
    add(member) {
      members.add(member);
      void member.hub.leaving.then(() => leaving.resolve());
      join(member);
    },
    find,
    get sessions() {
      return [...members].map(({ session }) => session);
    },
    async end(id) {
      const member = find(id);
      if (!member) return;
      await member.close();
      farewells.get(member)?.();
      farewells.delete(member);
      members.delete(member);
    },
    get desk() {
      desk ??= deskOf(hub);
      return desk;
    },
  };
  let desk: Desk | undefined;
  return hub;
}
