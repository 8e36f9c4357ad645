// Opens the sessions of a server when they are needed, and closes those that were not used for some time.
import { Fault, getErrorMessage } from '../../../base/index.ts';
import type { AgentSession, Clock, OpenSessionRequest, SessionPool } from '../../../contracts/index.ts';
import { createSessionNotFoundFault } from '../../../server/session-hub.ts';
import type { SharedSession, SharedSessions } from '../../../server/shared/shared-sessions.ts';

export interface SessionOpenerOptions {
  readonly pool: SessionPool;
  readonly shared: SharedSessions;
  readonly clock: Clock;
  /** Close a session after this time without clients and work. */
  readonly idleMs: number;
  onOpened(session: AgentSession): void;
  /** Called after that. Clients wait for it. */
  prepare?(session: AgentSession): Promise<void>;
  /** What a client gets instead of this failure to open a session. */
  explain?(thrown: unknown, sessionId: string): Promise<unknown>;
}

/** The shortest time between two searches for idle sessions. */
const MIN_SEARCH_MS = 1000;
const TAKEN = 'The session is open on another node now. Connect again.';
const NOT_USED = 'The session was not used for some time and is closed. Connect again to open it.';

export class SessionOpener {
  readonly #options: SessionOpenerOptions;
  /** By id: two clients may ask for the same session at the same time. */
  readonly #opening = new Map<string, Promise<unknown>>();
  readonly #closing = new Map<string, Promise<void>>();
  #cancelSearch: () => void = () => {};

  constructor(options: SessionOpenerOptions) {
    this.#options = options;
    this.#planSearch();
  }

  /** The pool for clients: it waits while a session is being closed or opened. */
  createPool(): SessionPool {
    const { pool } = this.#options;
    return {
      ...pool,
      open: async (request) => {
        const opened = await this.#open(request).catch((thrown: unknown) => this.#fail(thrown, request));
        const { session } = opened;
        // The reply promises the session: without entries it has no file yet.
        await session.entries.flush().catch((thrown: unknown) => {
          if (pool.find(session.id) === session && !this.#closing.has(session.id)) throw thrown;
          throw new Fault('busy', `Session ${session.id} was closed while it was being opened. Send the call again.`);
        });
        return opened;
      },
    };
  }

  /** The pool for calls without a connection: a session that they close or delete is closed for all its clients. */
  createCallPool(): SessionPool {
    const { pool, shared } = this.#options;
    const end = async (id: string, act: (id: string) => Promise<void>, reason: string) => {
      const session = pool.find(id);
      await act(id);
      if (session) shared.remove(session, reason);
    };
    return {
      ...this.createPool(),
      close: (id) => end(id, pool.close, 'The session was closed.'),
      delete: (id) => end(id, pool.delete, 'The session was deleted.'),
    };
  }

  /** The session with this id. Opens it if it is stored. */
  async find(id: string): Promise<AgentSession> {
    if (id === '') throw createSessionNotFoundFault(id);
    const { pool, shared } = this.#options;
    // It must not be closed between this and the call for which it is opened.
    const open = pool.find(id);
    if (open) shared.markUsed(open);
    const { session } = await this.#open({ id, mustExist: true, persist: true });
    shared.markUsed(session);
    return session;
  }

  async create(cwd: string | undefined): Promise<AgentSession> {
    return (await this.#open({ cwd, persist: true })).session;
  }

  stop(): void {
    this.#cancelSearch();
  }

  async #open(requested: OpenSessionRequest): ReturnType<SessionPool['open']> {
    const { pool } = this.#options;
    // A stored session is opened in its own directory, not in that of the server.
    const request = { ...requested, isInStoredDirectory: true };
    const { id } = request;
    if (id === undefined) return this.#openAndReport(request);
    const findPending = () => this.#closing.get(id) ?? this.#opening.get(id);
    // When an attempt has failed, only the first of those who wait may try again.
    for (let pending = findPending(); pending; pending = findPending()) await pending;
    const isOpen = () => pool.find(id) !== undefined;
    if (isOpen()) return pool.open(request.forkOf === undefined ? { ...request, mustExist: true } : request);
    const opened = this.#openAndReport(request);
    this.#opening.set(
      id,
      opened.catch(() => {}),
    );
    try {
      return await opened;
    } finally {
      this.#opening.delete(id);
    }
  }

  async #fail(thrown: unknown, { id }: OpenSessionRequest): Promise<never> {
    const { explain } = this.#options;
    throw explain && id !== undefined ? await explain(thrown, id) : thrown;
  }

  async #openAndReport(request: OpenSessionRequest): ReturnType<SessionPool['open']> {
    const { pool, onOpened, prepare } = this.#options;
    const result = await pool.open(request);
    onOpened(result.session);
    await prepare?.(result.session);
    return result;
  }

  #planSearch(): void {
    const { clock, idleMs } = this.#options;
    this.#cancelSearch = clock.after(Math.max(MIN_SEARCH_MS, idleMs / 4), () => {
      this.closeIdle();
      this.#planSearch();
    });
  }

  /** Closes the sessions that were not used for some time. They stay on disk and are opened again when they are needed. */
  closeIdle(): void {
    const { shared, clock, idleMs } = this.#options;
    const limit = clock.now() - idleMs;
    for (const one of shared.all)
      if (one.usedMs <= limit && isUnused(one) && shared.lanes.isIdle(one.laneId)) void this.#close(one);
  }

  /** The session is opened again by those who need it. */
  async closeForReopening(session: AgentSession, reason: string): Promise<void> {
    await this.#close({ session }, reason);
  }

  /** Another process writes to the session now. What happens here until it is closed is no part of it: no client may receive that. */
  async closeTaken(id: string): Promise<void> {
    const { pool, shared } = this.#options;
    const session = pool.find(id);
    if (!session) return;
    shared.remove(session, TAKEN, 'session_released');
    await this.#close({ session }, TAKEN);
  }

  async #close({ session }: Pick<SharedSession, 'session'>, reason = NOT_USED): Promise<void> {
    const { pool, shared } = this.#options;
    const { id } = session;
    if (this.#closing.has(id)) return;
    const closing = pool
      .close(id)
      .catch((thrown: unknown) => {
        shared.ports.log('a session was not closed', { error: getErrorMessage(thrown) });
      })
      .finally(() => {
        shared.remove(session, reason, 'session_released');
        this.#closing.delete(id);
      });
    this.#closing.set(id, closing);
    await closing;
  }
}

function isUnused({ session, clients, questions }: SharedSession): boolean {
  // Only in memory: its messages would be lost.
  if (session.file === undefined) return false;
  const { runs, compaction, shell, subagents } = session;
  const isWorking = !runs.isSettled || compaction.isRunning || shell.isRunning || subagents.list().length > 0;
  return clients.size === 0 && !isWorking && questions.openRequests.length === 0;
}
