// Checks that a snapshot and the events after it make up the same conversation as the events of a client that was always connected.
import type { WireFrame } from '../frame-collector.ts';
import type { EventRecord, EventSegment } from './event-record.ts';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
}

type Message = { readonly role: string; readonly content: readonly Block[] };

/** The messages of `message_end` events, in order. */
export function listEndedMessages(records: readonly EventRecord[]): Message[] {
  return records.flatMap(({ kind, content }) => {
    if (kind !== 'event' || !content.includes('"type":"message_end"')) return [];
    return [(JSON.parse(content) as { message: Message }).message];
  });
}

/** The text of a message that was open at the snapshot, and its deltas after it, must be the final text. */
export function findOpenMessageErrors({ snapshot, records }: EventSegment): string[] {
  const open = snapshot?.openMessage as Message | null | undefined;
  if (!open) return [];
  const end = records.findIndex(({ content }) => content.includes('"type":"message_end"'));
  const [final] = listEndedMessages(records.slice(end, end + 1));
  if (!final) return ['the open message has no end'];
  const errors: string[] = [];
  for (const [index, block] of final.content.entries()) {
    if (block.type !== 'text' && block.type !== 'thinking') continue;
    const first = open.content[index];
    const deltas = records.slice(0, end).filter((record) => isDeltaOf(record, index));
    const joined = (first ? getText(first) : '') + deltas.map(({ text }) => text).join('');
    if (joined !== getText(block))
      errors.push(`block ${index}: ${joined.length} of ${getText(block).length} characters`);
  }
  return errors;
}

/** The deltas of each message must be its final text. Returns the number of blocks, and the differences. */
export function compareDeltas(records: readonly EventRecord[]): { blocks: number; errors: string[] } {
  const errors: string[] = [];
  let blocks = 0;
  let deltas: EventRecord[] = [];
  for (const record of records) {
    if (record.kind === 'delta') deltas.push(record);
    const [message] = listEndedMessages([record]);
    if (message?.role !== 'assistant') continue;
    for (const [index, block] of message.content.entries()) {
      if (block.type !== 'text' && block.type !== 'thinking') continue;
      blocks += 1;
      const own = deltas.filter((delta) => isDeltaOf(delta, index));
      if (own.map(({ text }) => text).join('') !== getText(block))
        errors.push(`message before ${record.last}: ${index}`);
    }
    deltas = [];
  }
  return { blocks, errors };
}

/** The messages of the conversation: those of the snapshot, and those that have ended since. */
export function joinConversation({ snapshot, records }: EventSegment): unknown[] {
  return [...((snapshot as WireFrame).messages as unknown[]), ...listEndedMessages(records)];
}

/** The same over several snapshots: the newest messages are part of each, those before are known from earlier. */
export function joinConversations(segments: readonly EventSegment[]): unknown[] {
  let known: unknown[] = [];
  for (const segment of segments) {
    const { firstIndex = 0 } = (segment.snapshot ?? {}) as { firstIndex?: number };
    if (known.length < firstIndex) throw new Error(`A snapshot begins at ${firstIndex}, and ${known.length} are known`);
    known = [...known.slice(0, firstIndex), ...joinConversation(segment)];
  }
  return known;
}

function isDeltaOf({ kind, content }: EventRecord, index: number): boolean {
  if (kind !== 'delta') return false;
  const { update } = JSON.parse(content) as { update: { type: string; contentIndex: number } };
  return update.contentIndex === index && update.type !== 'toolcall_delta';
}

function getText({ text, thinking }: Block): string {
  return text ?? thinking ?? '';
}
