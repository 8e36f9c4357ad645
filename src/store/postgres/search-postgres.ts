// Lists the sessions of a tenant in pages, newest first, and searches their texts.
import type { Clock, Files } from '../../contracts/ports.ts';
import type { FoundSession, SessionPage, SessionQuery, SessionSummary } from '../../contracts/session-store.ts';
import { mapConcurrently } from '../list-sessions.ts';
import { decodeCursor, encodeCursor, findText, SEARCH_TIME_MS } from '../search-sessions.ts';
import { createTextPattern, type TextPattern } from '../text-pattern.ts';
import { type RowContext, selectSessions } from './session-rows.ts';

/** Sessions that are read from the database at a time while their texts are searched. */
const BATCH_SIZE = 50;

export async function searchPostgres(
  context: RowContext & { readonly clock: Pick<Clock, 'now'> },
  logFiles: Files,
  { query = '', cwd, limit, cursor }: SessionQuery,
): Promise<SessionPage> {
  const pattern = query.trim() === '' ? undefined : createTextPattern(query);
  const endMs = context.clock.now() + SEARCH_TIME_MS;
  const found: FoundSession[] = [];
  let position = cursor === undefined ? undefined : decodeCursor(cursor);
  for (;;) {
    const size = pattern ? BATCH_SIZE : limit + 1;
    const batch = await readBatch(context, { cwd, position, size });
    const matches = await mapConcurrently(batch, (session) => match(logFiles, session, query, pattern));
    for (const [at, session] of matches.entries()) {
      if (session && found.length === limit) return { sessions: found, nextCursor: encodeCursor(position as Position) };
      if (session) found.push(session);
      position = batch[at];
    }
    if (batch.length < size) return { sessions: found };
    if (context.clock.now() >= endMs) return { sessions: found, nextCursor: encodeCursor(position as Position) };
  }
}

type Position = Pick<SessionSummary, 'modifiedMs' | 'path'>;

interface BatchRequest {
  readonly cwd: string | undefined;
  /** After this session. */
  readonly position: Position | undefined;
  readonly size: number;
}

function readBatch(context: RowContext, { cwd, position, size }: BatchRequest): Promise<SessionSummary[]> {
  const inDirectory = "($2 = '' or cwd = $2)";
  if (!position) return selectSessions(context, inDirectory, [cwd ?? ''], size);
  const id = position.path.replace(/^postgres:/, '');
  return selectSessions(
    context,
    `${inDirectory} and (modified_ms, id) < ($3::bigint, $4::text)`,
    [cwd ?? '', position.modifiedMs, id],
    size,
  );
}

async function match(
  logFiles: Files,
  session: SessionSummary,
  query: string,
  pattern: TextPattern | undefined,
): Promise<FoundSession | undefined> {
  if (!pattern) return session;
  const wanted = query.trim().toLowerCase();
  const names = [session.cwd, session.name ?? ''].map((name) => name.toLowerCase());
  if (session.id.toLowerCase().startsWith(wanted) || names.some((name) => name.includes(wanted))) return session;
  // A session that cannot be read must not hide the others.
  const inText = await findText(logFiles, { path: session.path, size: session.bytes }, pattern).catch(() => undefined);
  return inText?.excerpt === undefined ? undefined : { ...session, match: inText.excerpt };
}
