// The messages of a session in parts: in pages, whose cursor is only valid while the session is unchanged, and by index.
import { array, integer, maxValue, minValue, number, object, optional, pipe, string } from 'valibot';
import { Fault, isRecord } from '../base/index.ts';
import { type AgentSession, command } from '../contracts/index.ts';
import { type AgentMessage, agentMessage } from '../protocol/index.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 256;
const LIMIT_RULE = `must be a whole number from 1 to ${MAX_LIMIT}`;
/** JSON bytes of a reply, so that it fits into a frame of 1 MiB. It has at least one message, also when that is longer. */
const MAX_REPLY_BYTES = 768 * 1024;

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
  access: 'read',
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
    const messages = takeFirst(allMessages.slice(from, from + limit));
    const next = from + messages.length;
    const nextCursor = next < allMessages.length ? { nextCursor: encodeCursor({ ...snapshot, from: next }) } : {};
    return { messages, totalMessages: allMessages.length, ...nextCursor };
  },
});

const wholeNumber = pipe(number(), integer('must be a whole number'));

export const getMessagesRange = command({
  name: 'get_messages_range',
  stability: 'experimental',
  doc: `The messages of the conversation from the index \`start\` up to, but without, \`end\`; also during a run. At most ${MAX_LIMIT} messages and about ${MAX_REPLY_BYTES / 1024} KiB: if there are more, the first of them are returned. Without \`start\`, or with a negative one, which counts from the end of the conversation, the newest of them are returned. \`start\` of the result is the index of its first message.`,
  lane: 'now',
  access: 'read',
  params: object({ start: optional(wholeNumber), end: optional(pipe(wholeNumber, minValue(0, 'must be 0 or more'))) }),
  result: object({ messages: array(agentMessage), start: number(), totalMessages: number(), sessionId: string() }),
  examples: [{ start: -50 }, { start: 0, end: 1 }],
  async run({ start, end }, { session }) {
    const allMessages = session.history.messages();
    const totalMessages = allMessages.length;
    const upTo = Math.min(end ?? totalMessages, totalMessages);
    const reply = { totalMessages, sessionId: session.id };
    if (start !== undefined && start >= 0) {
      const messages = takeFirst(allMessages.slice(start, Math.min(upTo, start + MAX_LIMIT)));
      return { messages, start: Math.min(start, totalMessages), ...reply };
    }
    const from = Math.max(0, start === undefined ? 0 : totalMessages + start, upTo - MAX_LIMIT);
    const messages = takeFirst(allMessages.slice(from, upTo).reverse()).reverse();
    return { messages, start: Math.max(from, upTo - messages.length), ...reply };
  },
});

function getCursorState(session: AgentSession, count: number): CursorState {
  return { session: session.id, leaf: session.entries.leafId, count };
}

/** The first messages that fit into a reply. */
function takeFirst(messages: readonly AgentMessage[]): AgentMessage[] {
  let bytes = 0;
  const end = messages.findIndex((message, index) => {
    bytes += Buffer.byteLength(JSON.stringify(message));
    return index > 0 && bytes > MAX_REPLY_BYTES;
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
