// First floor, commands: the conversation in pieces, for hosts that cannot take it whole. A page holds only for what it was cut from.
import { array, integer, maxValue, minValue, number, object, optional, pipe, string } from 'valibot';
import { Fault, isRecord } from '../base/index.ts';
import { type AgentSession, command } from '../contracts/index.ts';
import { type AgentMessage, agentMessage } from '../protocol/index.ts';

const USUAL = 100;
const MOST = 256;
const WHOLE = `must be a whole number from 1 to ${MOST}`;
/** Of JSON, so that a page fits into a frame of a megabyte. One message is always given, however long. */
const MOST_BYTES = 768 * 1024;

/** What a cursor was made for. Another message, another branch or another session makes it stale. */
interface Snapshot {
  session: string;
  leaf: string | null;
  count: number;
}

export const getMessagesPage = command({
  name: 'get_messages_page',
  stability: 'experimental',
  doc: 'The messages of the conversation in pages, oldest first: `nextCursor` is there while more follow. Refused with the code `session_busy` while a run or a compaction is going, and with `stale_cursor` when the conversation is another than the cursor was given for.',
  lane: 'now',
  params: object({
    cursor: optional(string()),
    limit: optional(pipe(number(), integer(WHOLE), minValue(1, WHOLE), maxValue(MOST, WHOLE))),
  }),
  result: object({ messages: array(agentMessage), totalMessages: number(), nextCursor: optional(string()) }),
  examples: [{}, { limit: 20 }],
  async run({ cursor, limit = USUAL }, { session }) {
    const { isStreaming, isCompacting } = session.state();
    if (isStreaming || isCompacting) {
      const details = { reason: 'session_busy' };
      throw new Fault('busy', 'Cannot page messages while the session is changing', { details });
    }
    const all = session.history.messages();
    const snapshot = snapshotOf(session, all.length);
    const from = cursor === undefined ? 0 : offsetIn(cursor, snapshot);
    const messages = pageOf(all.slice(from, from + limit));
    const next = from + messages.length;
    const nextCursor = next < all.length ? { nextCursor: encoded({ ...snapshot, from: next }) } : {};
    return { messages, totalMessages: all.length, ...nextCursor };
  },
});

function snapshotOf(session: AgentSession, count: number): Snapshot {
  return { session: session.id, leaf: session.entries.leafId, count };
}

function pageOf(messages: readonly AgentMessage[]): AgentMessage[] {
  let bytes = 0;
  const cut = messages.findIndex((message, index) => {
    bytes += Buffer.byteLength(JSON.stringify(message));
    return index > 0 && bytes > MOST_BYTES;
  });
  return messages.slice(0, cut < 0 ? messages.length : cut);
}

function encoded(cursor: Snapshot & { from: number }): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

function offsetIn(cursor: string, snapshot: Snapshot): number {
  const { from, ...made } = decoded(cursor);
  if (typeof from !== 'number' || !Number.isSafeInteger(from) || from < 0) throw invalid(cursor);
  if (made.session === snapshot.session && made.leaf === snapshot.leaf && made.count === snapshot.count) return from;
  const details = { reason: 'stale_cursor' };
  throw new Fault('refused', 'The cursor is stale: the conversation has changed. Begin again without one', { details });
}

function decoded(cursor: string): Record<string, unknown> {
  try {
    const said: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (isRecord(said)) return said;
  } catch {
    // Not one of ours.
  }
  throw invalid(cursor);
}

function invalid(cursor: string): Fault {
  return new Fault('invalid_params', `Invalid cursor: ${JSON.stringify(cursor.slice(0, 60))}`);
}
