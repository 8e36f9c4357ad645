// The sessions of a process that several clients use at the same time: their feeds, questions, lanes and clients.
import type { AgentSession, Clock, IdGenerator, Log, SessionHub } from '../../contracts/index.ts';
import type { AgentEvent } from '../../protocol/index.ts';
import { LaneRegistry } from '../lane-registry.ts';
import { CallOrigin } from './call-origin.ts';
import { EventJournal } from './event-journal.ts';
import { MessageOrigins } from './message-origins.ts';
import { SessionFeed } from './session-feed.ts';
import { type AnswerListener, SharedQuestions } from './shared-questions.ts';
import { StateObserver } from './state-observer.ts';

export interface SharedPorts {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: Log;
}

export interface SharedSessionListeners {
  onAnswered?: AnswerListener;
  /** The session is closed. */
  onRemoved?(session: AgentSession): void;
  /** A session that was closed is open again, for example in another directory. */
  onReplaced?(session: AgentSession): void;
}

/** Why clients cannot use a session any more. `session_released`: it can be opened again, perhaps by another process. */
export interface SessionEnd {
  readonly kind: 'session_closed' | 'session_released';
  readonly reason: string;
}

/** A client that is attached to a session. */
export interface AttachedClient {
  readonly name: string;
  /** The session is closed or deleted: the client cannot use it any more. */
  handleSessionClosed(session: AgentSession, end: SessionEnd): void;
  /** The session was opened again, for example in another directory. */
  handleSessionReplaced(previous: AgentSession, next: SharedSession): void;
  /** The session has another id: it was switched to another conversation. */
  handleSessionRenamed(session: AgentSession): void;
}

export interface SharedSession {
  readonly session: AgentSession;
  readonly feed: SessionFeed;
  readonly questions: SharedQuestions;
  readonly origins: MessageOrigins;
  readonly stateObserver: StateObserver;
  readonly clients: Set<AttachedClient>;
  /** Of its calls. Does not change with the id of the session, so that the calls of all clients stay in one order. */
  readonly laneId: string;
  /** The ids of the session, the current one last. The feed continues when the id changes. */
  readonly ids: string[];
  /** When the last client left, the last event came, or the last call began or ended. */
  usedMs: number;
  /** Why clients cannot use it any more, or where it is open now. */
  end?: SessionEnd | { readonly next: SharedSession };
}

/** Sequence numbers begin at the milliseconds since then times 1,000, so that numbers of an earlier process are never used again. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
const SEQUENCE_PER_MS = 1000;
/** Closed sessions whose end is remembered. */
const MAX_REMEMBERED = 10_000;

/** Ids of one session that are remembered. */
const MAX_IDS = 100;

interface FeedEnd {
  readonly seq: number;
  /** The last entry of the conversation. */
  readonly leafId: string | null;
}

export class SharedSessions {
  readonly hub: SessionHub;
  readonly ports: SharedPorts;
  readonly lanes = new LaneRegistry();
  readonly origin = new CallOrigin();
  readonly #sessions = new Map<AgentSession, SharedSession>();
  /** Calls and connections that began before the end of their session still use it. It must not replace the one with its id that was opened since. */
  readonly #ended = new WeakMap<AgentSession, SharedSession>();
  /** The open sessions by id. Without it, opening a session would take longer the more sessions are open. */
  readonly #byId = new Map<string, SharedSession>();
  /** Where the events of closed sessions ended, by the id of the session. */
  readonly #ends = new Map<string, FeedEnd>();
  readonly #disconnect: () => void;

  readonly #listeners: SharedSessionListeners;

  /** Connects to the hub as its only host. */
  constructor(hub: SessionHub, ports: SharedPorts, listeners: SharedSessionListeners = {}) {
    this.hub = hub;
    this.#listeners = listeners;
    this.ports = ports;
    this.#disconnect = hub.connect(
      (event, session) => this.#append(event, session),
      (session) => this.get(session).questions.hostUi,
      (session) => this.remove(session, 'The session was closed, and could not be opened again.'),
    );
  }

  get all(): Iterable<SharedSession> {
    return this.#sessions.values();
  }

  get(session: AgentSession): SharedSession {
    const known = this.#sessions.get(session) ?? this.#ended.get(session);
    if (known) return known;
    const previous = this.#byId.get(session.id);
    if (previous) this.#forget(previous);
    const { clock } = this.ports;
    const created: SharedSession = {
      session,
      feed: new SessionFeed(session, clock, this.#openJournal(session, previous)),
      questions: new SharedQuestions(session, this.ports, this.#listeners.onAnswered),
      origins: new MessageOrigins(),
      stateObserver: new StateObserver(session, previous?.stateObserver),
      clients: new Set(),
      laneId: previous?.laneId ?? session.id,
      ids: previous?.ids ?? [session.id],
      usedMs: clock.now(),
    };
    this.#sessions.set(session, created);
    this.#byId.set(session.id, created);
    if (previous) this.#replace(previous, created);
    return created;
  }

  markUsed(session: AgentSession): void {
    const shared = this.#sessions.get(session);
    if (shared) shared.usedMs = this.ports.clock.now();
  }

  /** The lanes of a session: the same for all clients, whatever id they use. */
  getLaneId(session: AgentSession): string {
    return this.get(session).laneId;
  }

  /** The session has been closed. */
  remove(session: AgentSession, reason: string, kind: SessionEnd['kind'] = 'session_closed'): void {
    const shared = this.#sessions.get(session);
    if (!shared) return;
    this.#forget(shared);
    const end = { kind, reason };
    shared.end = end;
    for (const client of [...shared.clients]) client.handleSessionClosed(session, end);
  }

  #forget(shared: SharedSession): void {
    const { session, questions, feed } = shared;
    this.#sessions.delete(session);
    this.#ended.set(session, shared);
    if (this.#byId.get(session.id) === shared) this.#byId.delete(session.id);
    this.#listeners.onRemoved?.(session);
    questions.close();
    feed.flush();
    this.#ends.set(session.id, { seq: feed.journal.lastSeq, leafId: session.entries.leafId });
    for (const id of this.#ends.keys()) {
      if (this.#ends.size <= MAX_REMEMBERED) break;
      this.#ends.delete(id);
    }
  }

  /** Sends a `state_changed` event if the state differs from the last one that was sent. */
  reportStateChange(session: AgentSession, client: string | undefined): void {
    const shared = this.#sessions.get(session);
    const state = shared?.stateObserver.takeChange();
    if (shared && state) shared.feed.append({ type: 'state_changed', state }, client);
  }

  #replace(previous: SharedSession, next: SharedSession): void {
    previous.end = { next };
    this.#listeners.onReplaced?.(next.session);
    for (const client of [...previous.clients]) client.handleSessionReplaced(previous.session, next);
    this.reportStateChange(next.session, this.origin.client);
  }

  close(): void {
    this.#disconnect();
    for (const { questions, feed } of this.#sessions.values()) {
      questions.close();
      feed.flush();
    }
  }

  #append(event: AgentEvent, session: AgentSession): void {
    const shared = this.get(session);
    // Its numbers are those of the session that was opened since.
    if (shared.end) return;
    shared.usedMs = this.ports.clock.now();
    shared.feed.append(event, shared.origins.resolve(event, this.origin.client));
    if (event.type === 'session_settled' && shared.clients.size === 0) shared.feed.journal.shrink();
    if (event.type === 'conversation_changed') this.#noteId(shared);
  }

  /** The session uses another log, which has another id. The new id is sent to all clients, so that they can come back. */
  #noteId(shared: SharedSession): void {
    const { session, ids, clients } = shared;
    const previousId = ids.at(-1);
    if (previousId === session.id) return;
    if (previousId !== undefined) this.#byId.delete(previousId);
    this.#byId.set(session.id, shared);
    ids.push(session.id);
    if (ids.length > MAX_IDS) ids.shift();
    for (const client of [...clients]) client.handleSessionRenamed(session);
  }

  /** A session that is opened again continues its numbers. If another process has changed it meanwhile, no earlier position is valid. */
  #openJournal(session: AgentSession, previous: SharedSession | undefined): EventJournal {
    const end = this.#ends.get(session.id);
    if (!end) return new EventJournal(this.#createFirstSeq());
    if (session.entries.leafId !== end.leafId) return new EventJournal(end.seq + 1);
    return previous?.feed.journal ?? new EventJournal(end.seq);
  }

  #createFirstSeq(): number {
    return Math.max(0, this.ports.clock.now() - EPOCH_MS) * SEQUENCE_PER_MS;
  }
}
