// One client of shared sessions: delivers events, questions and replies to it, in order and with bounded memory.
import type { AgentSession, Clock, Codec, Frame, HostServices } from '../../contracts/index.ts';
import type { ClientAccess, SessionAttached, UiAnswer, UiRequest } from '../../protocol/index.ts';
import type { Outbox } from '../outbox.ts';
import type { EventGroup, FeedMember } from './event-group.ts';
import type { QuestionMember } from './shared-questions.ts';
import type { AttachedClient, SessionEnd, SharedSession } from './shared-sessions.ts';
import { WaitingLimit } from './waiting-limit.ts';

/** Why the server ends a connection. */
export type CloseReason = 'reads_too_slowly' | SessionEnd['kind'] | 'rate_limit' | 'exit_requested' | 'server_ends';

export interface SharedClientOptions {
  readonly name: string;
  readonly access: ClientAccess;
  readonly codec: Codec;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly maxWaitingBytes: number;
  readonly sessions: SessionAttached['sessions'];
  /** It may be attached to several sessions, and stays connected when one of them is closed. */
  readonly isMultiSession?: boolean;
  /** The session was opened again: the client is attached to the new one. */
  onReplaced?(previous: AgentSession, next: AgentSession): void;
  /** Ends the connection. Called once. */
  close(reason: CloseReason, message: string): void;
}

interface Attachment {
  readonly shared: SharedSession;
  readonly question: QuestionMember;
  readonly hostServices: HostServices | undefined;
  group: EventGroup;
  key: unknown;
}

export class SharedClient implements FeedMember, AttachedClient {
  readonly name: string;
  readonly access: ClientAccess;
  readonly #options: SharedClientOptions;
  readonly #attachments = new Map<AgentSession, Attachment>();
  readonly #limit: WaitingLimit;
  #isClosed = false;

  constructor(options: SharedClientOptions) {
    this.#options = options;
    this.name = options.name;
    this.access = options.access;
    const { outbox, clock, maxWaitingBytes: maxBytes } = options;
    const message = `More than ${maxBytes} bytes wait for this client. Connect again with after=SEQ.`;
    this.#limit = new WaitingLimit({
      ...{ outbox, clock, maxBytes },
      onExceeded: () => this.close('reads_too_slowly', message),
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  isAttached(session: AgentSession): boolean {
    return this.#attachments.has(session);
  }

  /**
   * Sends the events after `after`, or a snapshot, and then all new events. Without `after` only new events. `previous` is the
   * session that the client leaves: none of its events may follow the frame that names the new one.
   */
  async attach(shared: SharedSession, after?: string, previous?: AgentSession): Promise<void> {
    const { session, feed } = shared;
    const { codec } = this.#options;
    const todos = after === undefined ? [] : await session.todos.list();
    // From here on nothing is awaited: no event may come between the replay and the first new event.
    if (previous) this.detach(previous);
    if (this.#isClosed || this.#attachments.has(session)) return;
    if (shared.end) {
      await this.#handleEnd(shared, shared.end, after);
      return;
    }
    const replay = after === undefined ? undefined : feed.replay(codec, after);
    const kind = replay === undefined ? 'none' : 'frames' in replay ? 'events' : 'snapshot';
    this.#push(codec.encodeAttached?.(this.#describeAttachment(shared, kind)));
    if (replay && 'frames' in replay) this.#pushReplay(replay.frames);
    if (replay && 'snapshot' in replay) this.#push(codec.encodeSnapshot?.(feed.createSnapshot(replay.snapshot, todos)));
    // A client that reads too slowly was closed above. It must not stay in the lists of the session.
    if (this.#isClosed) return;
    const group = feed.join(this, codec, kind === 'events');
    const question = { name: this.name, ask: (request: UiRequest) => this.#ask(request, session) };
    const hostServices =
      this.access === 'full' ? codec.createHostServices?.(session, (frame) => this.send(frame)) : undefined;
    this.#attachments.set(session, { shared, question, hostServices, group, key: getEncodingKey(codec) });
    shared.clients.add(this);
    if (hostServices) session.tools.hostServices = hostServices;
    if (this.access === 'full') shared.questions.join(question);
  }

  /** The session was closed, or opened again, before the client could be attached. */
  async #handleEnd({ session }: SharedSession, end: NonNullable<SharedSession['end']>, after?: string): Promise<void> {
    if ('reason' in end) {
      this.handleSessionClosed(session, end);
      return;
    }
    this.#noteReplaced(session, end.next.session);
    await this.attach(end.next, after);
  }

  #noteReplaced(previous: AgentSession, next: AgentSession): void {
    this.#options.onReplaced?.(previous, next);
    this.#options.codec.handleSessionReplaced?.(previous, next);
  }

  detach(session: AgentSession): void {
    const attachment = this.#attachments.get(session);
    if (!attachment) return;
    const { shared, question, group, hostServices } = attachment;
    group.flush();
    this.#attachments.delete(session);
    shared.feed.leave(this);
    shared.questions.leave(question);
    shared.clients.delete(this);
    shared.usedMs = this.#options.clock.now();
    // Another client may have offered its own files and terminals since.
    if (hostServices && session.tools.hostServices === hostServices) session.tools.hostServices = undefined;
    if (shared.clients.size === 0 && session.runs.isSettled) shared.feed.journal.shrink();
  }

  /** Returns the session whose question was answered; `undefined` when no question with this id is open. */
  answer(id: string, answer: UiAnswer): AgentSession | undefined {
    if (this.access !== 'full') return undefined;
    const answered = [...this.#attachments.values()].find(({ shared, question }) =>
      shared.questions.answer(id, answer, question),
    );
    return answered?.shared.session;
  }

  /** Sends a frame after all events so far. */
  send(frame: Frame | undefined): void {
    if (!frame) return;
    for (const { group } of this.#attachments.values()) group.flush();
    this.#push(frame);
  }

  /** Sends a reply. It may contain the id of a session whose questions the client could not show before. */
  reply(frame: Frame | undefined): void {
    this.send(frame);
    if (this.access !== 'full') return;
    for (const { shared, question } of this.#attachments.values()) shared.questions.offer(question);
  }

  receive(frames: readonly Frame[]): void {
    for (const frame of frames) this.#push(frame);
  }

  /** Joins another group when a call has changed how events are encoded, for example by an event filter. */
  updateEncoding(): void {
    const key = getEncodingKey(this.#options.codec);
    for (const attachment of this.#attachments.values()) {
      if (attachment.key === key) continue;
      attachment.group.flush();
      attachment.shared.feed.leave(this);
      attachment.group = attachment.shared.feed.join(this, this.#options.codec, false);
      attachment.key = key;
    }
  }

  handleSessionClosed(session: AgentSession, { kind, reason }: SessionEnd): void {
    const { isMultiSession, codec } = this.#options;
    this.detach(session);
    if (isMultiSession) this.send(codec.encodeSessionClosed?.(session, reason));
    else this.close(kind, reason);
  }

  handleSessionReplaced(previous: AgentSession, next: SharedSession): void {
    this.detach(previous);
    this.#noteReplaced(previous, next.session);
    void this.attach(next);
  }

  handleSessionRenamed(session: AgentSession): void {
    const attachment = this.#attachments.get(session);
    const { codec } = this.#options;
    if (!attachment || !codec.encodeAttached) return;
    const { shared, question } = attachment;
    this.send(codec.encodeAttached(this.#describeAttachment(shared, 'none')));
    if (this.access === 'full') shared.questions.askAgain(question);
  }

  /** Detaches from all sessions. */
  close(reason?: CloseReason, message = ''): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#limit.close();
    for (const session of [...this.#attachments.keys()]) this.detach(session);
    if (!reason) return;
    this.#options.outbox.discard();
    this.#options.close(reason, message);
  }

  #ask(request: UiRequest, session: AgentSession): boolean {
    const frame = this.#options.codec.encodeUiRequest(request, session);
    this.send(frame);
    return frame !== undefined;
  }

  /** What a client has missed does not count as read too slowly. */
  #pushReplay(frames: readonly Frame[]): void {
    for (const frame of frames) this.#enqueue(frame);
    this.#limit.exemptWaiting();
  }

  #push(frame: Frame | undefined): void {
    if (this.#isClosed) return;
    this.#enqueue(frame);
    this.#limit.check();
  }

  #enqueue(frame: Frame | undefined): void {
    const { outbox, codec } = this.#options;
    const limited = frame && codec.limitFrame ? codec.limitFrame(frame) : frame;
    for (let next = limited; next; next = next.followedBy) void outbox.push(next);
  }

  #describeAttachment({ session, feed }: SharedSession, replay: SessionAttached['replay']): SessionAttached {
    const { lastSeq: seq } = feed.journal;
    return {
      ...{ type: 'session_attached', sessionId: session.id, clientId: this.name },
      ...{ seq, access: this.access, replay, sessions: this.#options.sessions },
    };
  }
}

function getEncodingKey(codec: Codec): unknown {
  return codec.sharedEncoding?.key ?? codec;
}
