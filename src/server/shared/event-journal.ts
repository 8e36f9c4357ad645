// The recent events of one session with their sequence numbers. Deltas of one content block are stored as one text.
import type { EventPosition } from '../../contracts/index.ts';
import type { AgentEvent, AgentEventOf, StreamEvent } from '../../protocol/index.ts';

export interface JournalEvent {
  readonly event: AgentEvent;
  readonly position: EventPosition;
}

/** Limits of one journal. The oldest events are dropped. */
const MAX_ITEMS = 4096;
const MAX_BYTES = 8 * 1024 * 1024;
/** What remains of the journal of a session that is idle and has no clients. */
const IDLE_ITEMS = 256;
const IDLE_BYTES = 64 * 1024;
/** Assumed for an event without text. */
const BASE_BYTES = 200;

type Delta = Extract<StreamEvent, { delta: string }>;

interface JournalItem {
  event: AgentEvent;
  readonly firstSeq: number;
  lastSeq: number;
  readonly client: string | undefined;
  bytes: number;
  /** Present for deltas: their texts joined, and where the text of each one ends. */
  text?: string;
  ends?: number[];
}

export class EventJournal {
  #items: JournalItem[] = [];
  #bytes = 0;
  /** The events up to this one are dropped, or belong to an earlier time. */
  #droppedSeq: number;
  #lastSeq: number;

  /** `lastSeq` is the number before the first event. */
  constructor(lastSeq: number) {
    this.#droppedSeq = lastSeq;
    this.#lastSeq = lastSeq;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  append(event: AgentEvent, client: string | undefined): EventPosition {
    this.#lastSeq += 1;
    const seq = this.#lastSeq;
    if (!this.#appendDelta(event, client)) {
      const replaced = event.type === 'tool_execution_update' ? this.#removeToolUpdate(event.toolCallId) : undefined;
      // An update that directly follows the one that it replaces stands for both numbers.
      const isNext = replaced?.lastSeq === seq - 1 && replaced.client === client;
      const firstSeq = isNext ? replaced.firstSeq : seq;
      const bytes = estimateBytes(event);
      this.#items.push({ event, firstSeq, lastSeq: seq, client, bytes, ...createDeltaText(event) });
      this.#bytes += bytes;
      this.#trim(MAX_ITEMS, MAX_BYTES);
    }
    return client === undefined ? { seq } : { seq, client };
  }

  /** The events after `seq`, oldest first, or `undefined` when some of them are not available. */
  readAfter(seq: number): JournalEvent[] | undefined {
    if (seq < this.#droppedSeq || seq > this.#lastSeq) return undefined;
    return this.#items.filter(({ lastSeq }) => lastSeq > seq).map((item) => toJournalEvent(item, seq));
  }

  /** Whether `seq` is older than the oldest available event. Otherwise it is ahead of the newest one. */
  isBeforeStart(seq: number): boolean {
    return seq < this.#droppedSeq;
  }

  /** The events from the start of the current run on; none when no run is in progress. */
  readCurrentRun(): JournalEvent[] {
    const start = this.#items.findLastIndex(({ event }) => event.type === 'agent_start');
    const isSettled = this.#items.slice(start).some(({ event }) => event.type === 'agent_settled');
    return start < 0 || isSettled ? [] : this.#items.slice(start).map((item) => toJournalEvent(item, 0));
  }

  /** Frees memory while no client follows an idle session. */
  shrink(): void {
    this.#trim(IDLE_ITEMS, IDLE_BYTES);
  }

  /** Adds the delta to the previous one of the same block. Returns false when there is none. */
  #appendDelta(event: AgentEvent, client: string | undefined): boolean {
    const last = this.#items.at(-1);
    const delta = getDelta(event);
    if (!delta || !last?.ends || last.client !== client) return false;
    const previous = getDelta(last.event);
    if (previous?.type !== delta.type || previous.contentIndex !== delta.contentIndex) return false;
    last.text += delta.delta;
    last.ends.push((last.text as string).length);
    last.event = event;
    last.lastSeq = this.#lastSeq;
    last.bytes += delta.delta.length;
    this.#bytes += delta.delta.length;
    return true;
  }

  /** The partial result of a tool is cumulative, so a later update replaces an earlier one. */
  #removeToolUpdate(toolCallId: string): JournalItem | undefined {
    const index = this.#items.findLastIndex(
      ({ event }) => event.type === 'tool_execution_update' && event.toolCallId === toolCallId,
    );
    if (index < 0) return undefined;
    const [removed] = this.#items.splice(index, 1);
    this.#bytes -= removed?.bytes ?? 0;
    return removed;
  }

  #trim(maxItems: number, maxBytes: number): void {
    let dropped = 0;
    while (dropped < this.#items.length && (this.#items.length - dropped > maxItems || this.#bytes > maxBytes)) {
      const item = this.#items[dropped] as JournalItem;
      this.#bytes -= item.bytes;
      this.#droppedSeq = item.lastSeq;
      dropped += 1;
    }
    if (dropped > 0) this.#items = this.#items.slice(dropped);
  }
}

function getDelta(event: AgentEvent): Delta | undefined {
  if (event.type !== 'message_update' || !('delta' in event.assistantMessageEvent)) return undefined;
  return event.assistantMessageEvent as Delta;
}

function createDeltaText(event: AgentEvent): Pick<JournalItem, 'text' | 'ends'> {
  const delta = getDelta(event);
  return delta ? { text: delta.delta, ends: [delta.delta.length] } : {};
}

/** The part of an item after `seq`. */
function toJournalEvent({ event, firstSeq, lastSeq, client, text, ends }: JournalItem, seq: number): JournalEvent {
  const first = Math.max(firstSeq, seq + 1);
  const position: EventPosition = {
    seq: lastSeq,
    ...(first < lastSeq ? { firstSeq: first } : {}),
    ...(client === undefined ? {} : { client }),
  };
  if (text === undefined || !ends) return { event, position };
  const start = first === firstSeq ? 0 : (ends[first - firstSeq - 1] as number);
  const { message, assistantMessageEvent } = event as AgentEventOf<'message_update'>;
  const folded = { ...assistantMessageEvent, delta: text.slice(start) } as Delta;
  return { event: { type: 'message_update', message, assistantMessageEvent: folded }, position };
}

/** Messages of `turn_end` and `agent_end` are counted with their own events. */
function estimateBytes(event: AgentEvent): number {
  if (event.type === 'message_start' || event.type === 'message_end') return BASE_BYTES + sumText(event.message);
  if (event.type === 'tool_execution_end') return BASE_BYTES + sumText(event.result);
  if (event.type === 'tool_execution_update') return BASE_BYTES + sumText(event.partialResult);
  return BASE_BYTES + (getDelta(event)?.delta.length ?? 0);
}

function sumText(holder: object): number {
  const content = 'content' in holder ? holder.content : undefined;
  if (typeof content === 'string') return content.length;
  if (!Array.isArray(content)) return 0;
  let length = 0;
  for (const block of content as Record<string, unknown>[])
    for (const value of [block.text, block.thinking, block.data]) if (typeof value === 'string') length += value.length;
  return length;
}
