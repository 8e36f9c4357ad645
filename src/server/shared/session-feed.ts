// The events of one session for any number of clients: numbers them, keeps the recent ones, and delivers them.
import type { AgentSession, Clock, Codec, EventEncoder, Frame, TodoList } from '../../contracts/index.ts';
import { type AgentEvent, groupByPhase, type SessionSnapshot } from '../../protocol/index.ts';
import { AnnouncedMessages } from './announced-messages.ts';
import { EventGroup, type FeedMember } from './event-group.ts';
import type { EventJournal } from './event-journal.ts';
import { LiveState } from './live-state.ts';

export type SnapshotReason = SessionSnapshot['reason'];

/** `readAfter` of a position: the frames of the missed events, or why a snapshot is needed instead. */
export type Replay = { frames: Frame[] } | { snapshot: SnapshotReason };

/** A client that has missed more gets a snapshot. Frames with the whole message can be much larger than their events. */
const MAX_REPLAY_BYTES = 16 * 1024 * 1024;
/** Messages in a snapshot. */
const SNAPSHOT_MESSAGES = 100;

export class SessionFeed {
  readonly session: AgentSession;
  readonly journal: EventJournal;
  readonly #clock: Clock;
  readonly #live = new LiveState();
  readonly #announced: AnnouncedMessages;
  /** Shared encodings by key, others by their codec. */
  readonly #groups = new Map<string | Codec, EventGroup>();

  constructor(session: AgentSession, clock: Clock, journal: EventJournal) {
    this.session = session;
    this.#clock = clock;
    this.journal = journal;
    this.#announced = new AnnouncedMessages(session);
  }

  append(event: AgentEvent, client: string | undefined): void {
    const position = this.journal.append(event, client);
    this.#live.update(event);
    this.#announced.update(event);
    for (const group of this.#groups.values()) group.add(event, position);
  }

  get hasMembers(): boolean {
    return this.#groups.size > 0;
  }

  /** Encodes the events after a position. Nothing may be awaited between this call and `join`. */
  replay(codec: Codec, after: string): Replay {
    const seq = /^\d{1,16}$/.test(after) ? Number(after) : Number.NaN;
    if (!Number.isSafeInteger(seq)) return { snapshot: 'malformed' };
    this.flush();
    const missed = this.journal.readAfter(seq);
    if (!missed) return { snapshot: this.journal.isBeforeStart(seq) ? 'too_old' : 'unknown_position' };
    const encode = codec.sharedEncoding?.createEncoder() ?? this.#createEncoder(codec, seq);
    const frames: Frame[] = [];
    let bytes = 0;
    for (const { event, position } of missed) {
      const frame = encode(event, position);
      if (!frame) continue;
      frames.push(frame);
      bytes += frame.bytes;
      if (bytes > MAX_REPLAY_BYTES) return { snapshot: 'too_old' };
    }
    return { frames };
  }

  /** From now on the member receives all events, encoded by its codec. `isReplayed`: the codec has encoded the events so far. */
  join(member: FeedMember, codec: Codec, isReplayed: boolean): EventGroup {
    const { sharedEncoding } = codec;
    const key = sharedEncoding?.key ?? codec;
    let group = this.#groups.get(key);
    // Members of a group must not receive events of before they joined.
    group?.flush();
    if (!group) {
      const known = isReplayed ? Number.NEGATIVE_INFINITY : this.journal.lastSeq;
      const encode = sharedEncoding?.createEncoder() ?? this.#createEncoder(codec, known);
      group = new EventGroup(this.#clock, encode);
    }
    this.#groups.set(key, group);
    group.members.add(member);
    return group;
  }

  leave(member: FeedMember): void {
    for (const [key, group] of this.#groups) {
      if (group.members.delete(member) && group.members.size === 0) this.#groups.delete(key);
    }
  }

  flush(): void {
    for (const group of this.#groups.values()) group.flush();
  }

  /** The state of the session after all events so far. Synchronous, so that it belongs to exactly one sequence number. */
  createSnapshot(reason: SnapshotReason, todos: Awaited<ReturnType<TodoList['list']>>): SessionSnapshot {
    const { session } = this;
    const messages = this.#announced.select(session.history.messages());
    const firstIndex = Math.max(0, messages.length - SNAPSHOT_MESSAGES);
    return {
      type: 'session_snapshot',
      reason,
      sessionId: session.id,
      seq: this.journal.lastSeq,
      state: { ...session.state(), todoPhases: groupByPhase(todos) },
      messages: messages.slice(firstIndex),
      totalMessages: messages.length,
      firstIndex,
      ...this.#live.read(),
    };
  }

  /** The encoder of a codec that keeps state. It must know the events of the current run up to `seq`, which are not sent. */
  #createEncoder(codec: Codec, seq: number): EventEncoder {
    const { session } = this;
    for (const { event, position } of this.journal.readCurrentRun()) {
      if (position.seq > seq) continue;
      if (codec.observeEvent) codec.observeEvent(event, session, position);
      else codec.encodeEvent(event, session, position);
    }
    return (event, position) => codec.encodeEvent(event, session, position);
  }
}
