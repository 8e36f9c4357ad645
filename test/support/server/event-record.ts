// The events that one client has received, in a form in which the lists of two clients can be compared.
import type { WireFrame } from '../frame-collector.ts';

/** Deltas of one content block that follow one another are one record with the joined text. */
export interface EventRecord {
  readonly kind: 'event' | 'delta' | 'tool_update';
  readonly first: number;
  readonly last: number;
  /** The event without its position. For deltas: the block; for updates of tools: the call. */
  readonly content: string;
  readonly text: string;
}

/** Events without a gap: from a position of the client, or from a snapshot. */
export interface EventSegment {
  readonly sessionId: string;
  /** The events after this one follow. */
  readonly after: number;
  readonly snapshot?: WireFrame | undefined;
  readonly records: EventRecord[];
}

export function createEventRecord(frame: WireFrame): EventRecord {
  const { seq, firstSeq = seq, ...event } = frame;
  const position = { first: Number(firstSeq), last: Number(seq) };
  if (event.type === 'tool_execution_update') {
    const text = JSON.stringify(event.partialResult);
    return { kind: 'tool_update', ...position, content: String(event.toolCallId), text };
  }
  if (event.type !== 'message_update')
    return { kind: 'event', ...position, content: JSON.stringify(sortKeys(event)), text: '' };
  const { partial: _, delta, id: _id, toolName: _name, ...update } = event.assistantMessageEvent as WireFrame;
  const content = JSON.stringify({ update: sortKeys(update), client: event.client });
  if (typeof delta === 'string') return { kind: 'delta', ...position, content, text: delta };
  return { kind: 'event', ...position, content, text: '' };
}

/** Adds a record. A delta that continues the last record is joined with it. */
export function addRecord(records: EventRecord[], record: EventRecord): void {
  const previous = records.at(-1);
  const isJoined =
    record.kind === 'delta' &&
    previous?.kind === 'delta' &&
    previous.content === record.content &&
    previous.last + 1 === record.first;
  if (!isJoined) records.push(record);
  else
    records[records.length - 1] = {
      ...record,
      first: previous.first,
      text: previous.text + record.text,
    };
}

/** Numbers that are missing between two events, or come twice. */
export function findPositionErrors({ after, records }: EventSegment, isOptional: (seq: number) => boolean): string[] {
  const errors: string[] = [];
  let last = after;
  for (const record of records) {
    if (record.first <= last) errors.push(`${record.first} comes again after ${last}`);
    if (record.last < record.first) errors.push(`${record.first} to ${record.last} is not a range`);
    for (let seq = last + 1; seq < record.first; seq++) if (!isOptional(seq)) errors.push(`${seq} is missing`);
    last = record.last;
  }
  return errors.slice(0, 5);
}

/**
 * Compares a segment, which may have ended earlier, with the segment of a client that was always connected. Updates of tools are cumulative, so a client that was
 * away receives only the last one: their numbers may be missing, and those of events that the dialect does not define.
 */
export function findDifferences(segment: EventSegment, reference: EventSegment): string[] {
  const optional = new Set<number>();
  const updates = new Map<number, string>();
  let previous = reference.after;
  for (const { kind, first, last, text } of reference.records) {
    for (let seq = previous + 1; seq < first; seq++) optional.add(seq);
    previous = last;
    if (kind !== 'tool_update') continue;
    updates.set(last, text);
    for (let seq = first; seq <= last; seq++) optional.add(seq);
  }
  const errors = findPositionErrors(segment, (seq) => optional.has(seq));
  for (const { kind, last, text } of segment.records) {
    const expected = updates.get(last);
    if (kind === 'tool_update' && expected !== undefined && expected !== text)
      errors.push(`the update ${last} of a tool differs`);
  }
  return [...errors, ...compareRecords(segment, reference)].slice(0, 5);
}

function compareRecords({ after, records }: EventSegment, reference: EventSegment): string[] {
  const isCompared = ({ kind }: Pick<EventRecord, 'kind'>) => kind !== 'tool_update';
  const end = records.at(-1)?.last ?? after;
  const expected = reference.records.filter(
    ({ first, last, ...record }) => last > after && first <= end && isCompared(record),
  );
  const found = records.filter(isCompared);
  const errors: string[] = [];
  for (const [index, record] of expected.entries()) {
    const other = found[index];
    if (!other || !isSame(other, record, after))
      errors.push(`expected ${describe(record)}, received ${other ? describe(other) : 'nothing'}`);
    if (errors.length > 2) break;
  }
  const [extra] = found.slice(expected.length);
  return extra ? [...errors, `not expected: ${describe(extra)}`] : errors;
}

/** The first record may be the second half of the deltas of a block. */
function isSame(record: EventRecord, expected: EventRecord, after: number): boolean {
  const first = Math.max(expected.first, after + 1);
  const isText = first === expected.first ? record.text === expected.text : expected.text.endsWith(record.text);
  return record.first === first && record.last === expected.last && record.content === expected.content && isText;
}

function describe({ first, last, content, text }: EventRecord): string {
  return `${first}-${last} ${content.slice(0, 160)} ${JSON.stringify(text.slice(-40))}`;
}

/** The order of the fields is not part of an event. */
function sortKeys(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
