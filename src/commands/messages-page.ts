// The messages of a session in pages. A cursor is only valid while the session is unchanged.
import { array, integer, maxValue, minValue, number, object, optional, pipe, string } from 'valibot';
import { Fault, isRecord } from '../base/index.ts';
import { type AgentSession, command } from '../contracts/index.ts';
import { type AgentMessage, agentMessage } from '../protocol/index.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 256;
const LIMIT_RULE = `must be a whole number from 1 to ${MAX_LIMIT}`;
/** JSON bytes of a page, so that it fits into a frame of 1 MiB. A page has at least one message, also when it is longer. */
const MAX_PAGE_BYTES = 768 * 1024;

/** The session state that a cursor is valid for. Another message, branch or session makes the cursor stale. */
interface CursorState {
  session: string;
  leaf: string | null;
  count: number;
}

export const getMessagesPage = command({
  name: 'get_messages_page',
  stability: 'experimental',
  doc: 'The messages of the conversation in pages, oldest first. `nextCursor` is present while more pages follow. Refused with the code `session_busy` during a run or a compaction, and with `stale_cursor` when the conversation has changed since the cursor was issued.',
  lane: 'now',
  params: object({
    cursor: optional(string()),
    limit: optional(pipe(number(), integer(LIMIT_RULE), minValue(1, LIMIT_RULE), maxValue(MAX_LIMIT, LIMIT_RULE))),
  }),
  result: object({ messages: array(agentMessage), totalMessages: number(), nextCursor: optional(string()) }),
  examples: [{}, { limit: 20 }],
  async run({ cursor, limit = DEFAULT_LIMIT }, { session }) {
    const { isStreaming, isCompacting } = session.state();
    if (isStreaming || isCompacting) {
      const details = { reason: 'session_busy' };
      throw new Fault('busy', 'Cannot page messages while the session is changing', { details });
    }
    const allMessages = session.history.messages();
    const snapshot = getCursorState(session, allMessages.length);
    const from = cursor === undefined ? 0 : resolveOffset(cursor, snapshot);
    const messages = takePage(allMessages.slice(from, from + limit));
    const next = from + messages.length;
    const nextCursor = next < allMessages.length ? { nextCursor: encodeCursor({ ...snapshot, from: next }) } : {};
    return { messages, totalMessages: allMessages.length, ...nextCursor };
  },
});

function getCursorState(session: AgentSession, count: number): CursorState {
  return { session: session.id, leaf: session.entries.leafId, count };
}

function takePage(messages: readonly AgentMessage[]): AgentMessage[] {
  let bytes = 0;
  const end = messages.findIndex((message, index) => {
    bytes += Buffer.byteLength(JSON.stringify(message));
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return messages.slice(0, end < 0 ? messages.length : end);
}

function encodeCursor(cursor: CursorState & { from: number }): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

function resolveOffset(cursor: string, cursorState: CursorState): number {
  const { from, ...saved } = decodeCursor(cursor);
  if (typeof from !== 'number' || !Number.isSafeInteger(from) || from < 0) throw createInvalidCursorFault(cursor);
  if (saved.session === cursorState.session && saved.leaf === cursorState.leaf && saved.count === cursorState.count)
    return from;
  const details = { reason: 'stale_cursor' };
  throw new Fault('refused', 'The cursor is stale: the conversation has changed. Start again without a cursor.', {
    details,
  });
}

function decodeCursor(cursor: string): Record<string, unknown> {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (isRecord(decoded)) return decoded;
  } catch {
    // Not JSON: reported below as an invalid cursor.
  }
  throw createInvalidCursorFault(cursor);
}

function createInvalidCursorFault(cursor: string): Fault {
  return new Fault('invalid_params', `Invalid cursor: ${JSON.stringify(cursor.slice(0, 60))}`);
}
