// What one client has received of a session, in parts without a gap.
import type { WireFrame } from '../frame-collector.ts';
import { addRecord, createEventRecord, type EventSegment } from './event-record.ts';

export class EventHistory {
  readonly segments: EventSegment[] = [];
  readonly #name: string;

  /** The name of the client, for failures. */
  constructor(name: string) {
    this.#name = name;
  }

  get segment(): EventSegment | undefined {
    return this.segments.at(-1);
  }

  /** The number of the last event that was received. */
  get lastSeq(): number | undefined {
    const { segment } = this;
    return segment && (segment.records.at(-1)?.last ?? segment.after);
  }

  /** `requestedAfter` is the position with which the client has connected. Returns false for frames without a position. */
  receive(frame: WireFrame, requestedAfter: string | undefined): boolean {
    if (frame.type === 'session_attached') this.#handleAttached(frame, requestedAfter);
    else if (frame.type === 'session_snapshot') this.segments.push({ ...start(frame), snapshot: frame });
    else if (typeof frame.seq === 'number') {
      if (!this.segment) throw new Error(`${this.#name} received an event before it was attached`);
      addRecord(this.segment.records, createEventRecord(frame));
    } else return false;
    return true;
  }

  #handleAttached(frame: WireFrame, requestedAfter: string | undefined): void {
    if (frame.replay === 'none') this.segments.push(start(frame));
    if (frame.replay !== 'events') return;
    if (requestedAfter !== this.lastSeq?.toString())
      throw new Error(`${this.#name} received events after ${this.lastSeq} for ${requestedAfter}`);
  }
}

function start({ sessionId, seq }: WireFrame): EventSegment {
  return { sessionId: String(sessionId), after: Number(seq), records: [] };
}
