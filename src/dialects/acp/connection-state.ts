// The state of one connection: what the client can do, the encoders of its sessions, and the prompts that wait for their response.
import type { AuthMethod } from '@agentclientprotocol/sdk';
import type { AgentSession, EventPosition, Frame } from '../../contracts/index.ts';
import type { AgentEvent, Model } from '../../protocol/index.ts';
import { ClientConnection } from './client/index.ts';
import { type ClientCapabilities, parseClientCapabilities } from './client-capabilities.ts';
import { createUpdateFrame, SessionUpdateEncoder } from './updates/index.ts';

/** Of one session, while it is being opened. */
const MAX_HELD_EVENTS = 100_000;

/** An event of a session that the client does not know yet. */
export interface HeldEvent {
  readonly event: AgentEvent;
  readonly position: EventPosition | undefined;
  /** It happened before the client was attached to the session. */
  readonly isEarlier: boolean;
}

/** A request that the client can cancel. */
export interface PendingRequest {
  readonly id: unknown;
  readonly sessionId: string | undefined;
  readonly isPrompt: boolean;
  readonly controller: AbortController;
  /** A prompt that waits for the end of the turn of an earlier one. */
  isQueued: boolean;
  isAnswered: boolean;
}

export class ConnectionState {
  /** The version of the program. */
  readonly version: string;
  readonly client: ClientConnection;
  /** False before a valid `initialize`. */
  isInitialized = false;
  /** The sign-in methods that `initialize` has offered. */
  authMethods: AuthMethod[] = [];
  readonly #encoders = new WeakMap<AgentSession, SessionUpdateEncoder>();
  /** The models of a session when its config options were last sent. */
  readonly #models = new WeakMap<AgentSession, readonly Model[]>();
  readonly #announced = new WeakSet<AgentSession>();
  /** By the id under which the client knows them. */
  readonly #sessions = new Map<string, WeakRef<AgentSession>>();
  readonly #held = new WeakMap<AgentSession, HeldEvent[]>();
  readonly #titled = new WeakSet<AgentSession>();
  readonly #failed = new WeakSet<AgentSession>();
  readonly #pending = new Set<PendingRequest>();
  #capabilities: ClientCapabilities = parseClientCapabilities(undefined);
  #send: (frame: Frame) => void = () => {};

  constructor(version: string) {
    this.version = version;
    this.client = new ClientConnection({
      getCapabilities: () => this.#capabilities,
      onTerminal: (session, toolCallId, terminalId) => {
        const update = this.getEncoder(session).attachTerminal(toolCallId, terminalId);
        this.#send(createUpdateFrame(session.id, update));
      },
    });
  }

  get capabilities(): ClientCapabilities {
    return this.#capabilities;
  }

  initialize(capabilities: ClientCapabilities): void {
    this.#capabilities = capabilities;
    this.isInitialized = true;
  }

  setSender(send: (frame: Frame) => void): void {
    this.#send = send;
  }

  send(frame: Frame): void {
    this.#send(frame);
  }

  getEncoder(session: AgentSession): SessionUpdateEncoder {
    const encoder = this.#encoders.get(session) ?? new SessionUpdateEncoder(session, this.#capabilities);
    this.#encoders.set(session, encoder);
    return encoder;
  }

  async readModels(session: AgentSession): Promise<readonly Model[]> {
    const models = await session.models.listAvailable();
    this.#models.set(session, models);
    return models;
  }

  /** Without waiting: the models of the last `readModels`. */
  getKnownModels(session: AgentSession): readonly Model[] {
    return this.#models.get(session) ?? [];
  }

  /** The client knows the session: its events and UI requests are sent from now on. */
  announce(session: AgentSession): void {
    this.#announced.add(session);
    this.#sessions.set(session.id, new WeakRef(session));
    if (session.history.messages().length > 0) this.#titled.add(session);
  }

  /** Keeps an event of a session that the client does not know yet. */
  hold(session: AgentSession, held: HeldEvent): void {
    const all = this.#held.get(session) ?? [];
    if (all.length < MAX_HELD_EVENTS) all.push(held);
    this.#held.set(session, all);
  }

  /** Returns the events that were held for the session, once. */
  takeHeld(session: AgentSession): readonly HeldEvent[] {
    const held = this.#held.get(session) ?? [];
    this.#held.delete(session);
    return held;
  }

  /** True for the first call with a session that has no name and had no messages when it was opened. */
  needsTitle(session: AgentSession): boolean {
    const isFirst = !this.#titled.has(session);
    this.#titled.add(session);
    return isFirst && session.naming.name === undefined;
  }

  isAnnounced(session: AgentSession): boolean {
    return this.#announced.has(session);
  }

  /** Why the last run of the session ended, when it was neither aborted nor failed. */
  getStopReason(sessionId: string | undefined): ReturnType<SessionUpdateEncoder['getStopReason']> {
    const session = this.#sessions.get(sessionId ?? '')?.deref();
    return session ? this.getEncoder(session).getStopReason() : 'end_turn';
  }

  /** Whether the last answer of the model has failed. */
  hasFailed(session: AgentSession): boolean {
    return this.#failed.has(session);
  }

  setFailed(session: AgentSession, hasFailed: boolean): void {
    if (hasFailed) this.#failed.add(session);
    else this.#failed.delete(session);
  }

  addRequest(request: Omit<PendingRequest, 'controller' | 'isQueued' | 'isAnswered'>): PendingRequest {
    const controller = new AbortController();
    const pending: PendingRequest = { ...request, controller, isQueued: false, isAnswered: false };
    this.#pending.add(pending);
    return pending;
  }

  /** Returns false when the request has been answered before: then no other response may be sent. */
  markAnswered(request: PendingRequest): boolean {
    if (request.isAnswered) return false;
    request.isAnswered = true;
    this.#pending.delete(request);
    return true;
  }

  /** Cancels all pending prompts of a session. */
  cancelPrompts(sessionId: string): void {
    for (const request of this.#pending)
      if (request.isPrompt && request.sessionId === sessionId) request.controller.abort();
  }

  /**
   * Called when a message has left the queue of follow-ups, of which `queuedCount` remain. Returns the prompts whose turn has ended
   * because a queued prompt has started.
   */
  takeEndedPrompts(sessionId: string, queuedCount: number): readonly PendingRequest[] {
    const prompts = [...this.#pending].filter((request) => request.isPrompt && request.sessionId === sessionId);
    const queued = prompts.filter(({ isQueued }) => isQueued);
    const started = queued.slice(0, Math.max(0, queued.length - queuedCount));
    const newest = started.at(-1);
    for (const request of started) request.isQueued = false;
    return newest ? prompts.slice(0, prompts.indexOf(newest)) : [];
  }

  /** The oldest pending prompt of its session is the one that runs. The others are queued. */
  findRequest(id: unknown): { request: PendingRequest; isOldestPrompt: boolean } | undefined {
    const request = [...this.#pending].find((pending) => pending.id === id);
    if (!request) return undefined;
    const oldest = [...this.#pending].find(({ isPrompt, sessionId }) => isPrompt && sessionId === request.sessionId);
    return { request, isOldestPrompt: oldest === request };
  }
}
