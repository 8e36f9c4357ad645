// The session pool as one client sees it: opening a session attaches the client, closing it leaves the session to the other clients.
import type { AgentSession, OpenSessionRequest, SessionPool } from '../../contracts/index.ts';
import { createSessionNotFoundFault } from '../session-hub.ts';
import type { SharedClient } from './shared-client.ts';
import type { SharedSessions } from './shared-sessions.ts';

export interface ClientPoolOptions {
  readonly shared: SharedSessions;
  /** Of the process. */
  readonly pool: SessionPool;
  readonly client: SharedClient;
  /** The client opens its sessions itself, and may be attached to several. */
  readonly isMultiSession: boolean;
  /** Moves a client that has one session to another one. `after`: as in the parameters of a connection. */
  moveTo(session: AgentSession, after?: string): Promise<void>;
}

export function createClientPool({ shared, pool, client, isMultiSession, moveTo }: ClientPoolOptions): SessionPool {
  return {
    ...pool,
    async open(request) {
      const opened = await openShared(pool, request);
      if (isMultiSession) await client.attach(shared.get(opened.session));
      return opened;
    },
    find(id) {
      const session = pool.find(id);
      return session && (!isMultiSession || client.isAttached(session)) ? session : undefined;
    },
    async close(id) {
      const session = pool.find(id);
      if (!session) throw createSessionNotFoundFault(id);
      if (isMultiSession) client.detach(session);
      if ([...shared.get(session).clients].some((other) => other !== client)) return;
      await pool.close(id);
      shared.remove(session, 'The session was closed.');
    },
    async delete(id) {
      const session = pool.find(id);
      await pool.delete(id);
      if (!session) return;
      client.detach(session);
      shared.remove(session, `The session was deleted by ${client.name}.`);
    },
    ...(isMultiSession ? {} : { attach: moveTo }),
  };
}

/** A session that is open already is used as it is. */
export function openShared(pool: SessionPool, request: OpenSessionRequest): ReturnType<SessionPool['open']> {
  const isOpen = request.id !== undefined && pool.find(request.id) !== undefined;
  return pool.open(isOpen && request.forkOf === undefined ? { ...request, mustExist: true } : request);
}
