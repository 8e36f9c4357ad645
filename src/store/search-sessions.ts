// Lists stored sessions in pages, newest first, and searches their texts. Reads a log line by line, and parses only lines that may match.
import { Fault } from '../base/fault.ts';
import { isRecord } from '../base/json.ts';
import type { Clock, Files } from '../contracts/ports.ts';
import type { FoundSession, SessionPage, SessionQuery, SessionSummary } from '../contracts/session-store.ts';
import { extractText } from '../protocol/message.ts';
import {
  createSummaryReader,
  listSessionFiles,
  mapConcurrently,
  measureArtifacts,
  type SessionFile,
} from './list-sessions.ts';
import type { RawLine } from './raw-line.ts';
import { readLinesForward } from './read-lines-forward.ts';
import { getTitle, tryReadHeader } from './session-header.ts';
import { getFileName, getParentDirectory, parseIdFromFileName } from './session-paths.ts';
import { loadSummaryCache, type SummaryCache } from './summary-cache.ts';
import { createTextPattern, type TextPattern } from './text-pattern.ts';

interface SearchContext {
  readonly files: Files;
  readonly clock: Pick<Clock, 'now'>;
  /** The folders to search. */
  readonly directories: readonly string[];
}

/** A search that takes longer returns what it has found, and a cursor. */
export const SEARCH_TIME_MS = 3000;
/** Files that are searched at the same time. */
const BATCH_SIZE = 16;
/** Of a longer log only the end is searched. */
const MAX_SEARCHED_BYTES = 128 * 1024 * 1024;
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const TYPE = /^\{"type":"([a-z_]+)"/;

export async function searchSessions(context: SearchContext, request: SessionQuery): Promise<SessionPage> {
  const { files, clock, directories } = context;
  const { query = '', cwd, limit, cursor } = request;
  const found = (await Promise.all(directories.map((directory) => listSessionFiles(files, directory)))).flat();
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const candidates = found.filter((file) => !after || compare(file, after) > 0).sort(compare);
  const reader = new SummaryReader(files);
  const pattern = query.trim() === '' ? undefined : createTextPattern(query);
  const endMs = clock.now() + SEARCH_TIME_MS;
  const sessions: FoundSession[] = [];
  let last: SessionFile | undefined;
  for (let at = 0; at < candidates.length && !last; at += BATCH_SIZE) {
    const batch = candidates.slice(at, at + BATCH_SIZE);
    const results = await mapConcurrently(batch, (file) => reader.match(file, { query, cwd, pattern }));
    for (const [index, result] of results.entries()) {
      if (result) sessions.push(result);
      const isLast = at + index === candidates.length - 1;
      if (sessions.length === limit && !isLast) last = batch[index];
      if (sessions.length === limit) break;
    }
    const hasMore = at + BATCH_SIZE < candidates.length;
    if (!last && sessions.length < limit && hasMore && clock.now() >= endMs) last = batch.at(-1);
    if (sessions.length === limit) break;
  }
  await reader.save();
  return { sessions, ...(last ? { nextCursor: encodeCursor(last) } : {}) };
}

interface MatchRequest {
  readonly query: string;
  readonly cwd: string | undefined;
  readonly pattern: TextPattern | undefined;
}

/** Reads the summaries of session files, through the cache of their folder. */
class SummaryReader {
  readonly #files: Files;
  readonly #caches = new Map<string, Promise<SummaryCache>>();

  constructor(files: Files) {
    this.#files = files;
  }

  /** `undefined` if the file does not match. A file that cannot be read must not hide the other sessions. */
  async match(file: SessionFile, { query, cwd, pattern }: MatchRequest): Promise<FoundSession | undefined> {
    try {
      const isNamed = !pattern || isInName(file, query);
      const inText = pattern && !isNamed ? await findText(this.#files, file, pattern) : undefined;
      if (!isNamed && !inText) return undefined;
      const session = await this.#summarize(file);
      if (!session || (cwd !== undefined && session.cwd !== cwd)) return undefined;
      if (!inText) return session;
      if (inText.excerpt !== undefined) return { ...session, match: inText.excerpt };
      // A name that was replaced later does not count.
      return session.name !== undefined && pattern?.findExcerpt(session.name) !== undefined ? session : undefined;
    } catch {
      return undefined;
    }
  }

  async #summarize(file: SessionFile): Promise<SessionSummary | undefined> {
    const { path, size, modifiedMs } = file;
    const cache = await this.#getCache(path);
    const summary = await cache.getSummary(file, createSummaryReader(this.#files, file));
    return summary && { path, ...summary, modifiedMs, bytes: size + (await measureArtifacts(this.#files, file)) };
  }

  #getCache(path: string): Promise<SummaryCache> {
    const directory = getParentDirectory(path);
    const cache = this.#caches.get(directory) ?? loadSummaryCache(this.#files, directory);
    this.#caches.set(directory, cache);
    return cache;
  }

  async save(): Promise<void> {
    for (const cache of this.#caches.values()) await (await cache).save({ keepsOthers: true });
  }
}

/** Compares the id, the names of the file and its folder, and whole paths: that of the file, and the one that the folder is named after. */
function isInName({ path }: SessionFile, query: string): boolean {
  const wanted = query.trim();
  const id = parseIdFromFileName(getFileName(path)) ?? '';
  const folder = getFileName(getParentDirectory(path));
  const isPath = wanted.includes('/') && (path.includes(wanted) || folder.includes(wanted.replace(/[/\\:]/g, '-')));
  const names = `${folder}/${getFileName(path)}`.toLowerCase();
  return isPath || id.toLowerCase().startsWith(wanted.toLowerCase()) || names.includes(wanted.toLowerCase());
}

/** `excerpt` is absent when the text occurs only in a name of the session. */
export async function findText(
  files: Files,
  { path, size }: Pick<SessionFile, 'path' | 'size'>,
  pattern: TextPattern,
): Promise<{ excerpt?: string } | undefined> {
  const file = await files.open(path, 'read');
  try {
    const found = await tryReadHeader(file);
    if (!found) return undefined;
    const start = Math.max(found.end, size - MAX_SEARCHED_BYTES);
    let isInName = pattern.findExcerpt(getTitle(found.header) ?? '') !== undefined;
    for await (const batch of readLinesForward(file, start, size, MAX_LINE_BYTES)) {
      for (const line of batch) {
        const entry = parseIfMatching(line, pattern);
        const excerpt = entry && pattern.findExcerpt(readMessageText(entry));
        if (excerpt !== undefined) return { excerpt };
        if (entry?.type === 'session_info') isInName = true;
      }
    }
    return isInName ? {} : undefined;
  } finally {
    await file.close().catch(() => {});
  }
}

function parseIfMatching({ bytes }: RawLine, pattern: TextPattern): Record<string, unknown> | undefined {
  const line = bytes?.toString('latin1') ?? '';
  const type = TYPE.exec(line)?.[1];
  if (type !== undefined && type !== 'message' && type !== 'session_info') return undefined;
  if (!pattern.mayMatchLine(line)) return undefined;
  try {
    const entry: unknown = JSON.parse(bytes?.toString('utf8') ?? '');
    return isRecord(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a message of the user or the model. Outputs of tools are not searched. */
function readMessageText({ type, message }: Record<string, unknown>): string {
  if (type !== 'message' || !isRecord(message)) return '';
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant') return '';
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? extractText(content.filter(isRecord) as never) : '';
}

export type Position = Pick<SessionFile, 'modifiedMs' | 'path'>;

/** Newest first. */
export function compare(a: Position, b: Position): number {
  return b.modifiedMs - a.modifiedMs || (a.path < b.path ? 1 : a.path > b.path ? -1 : 0);
}

export function encodeCursor({ modifiedMs, path }: Position): string {
  return Buffer.from(JSON.stringify([modifiedMs, path])).toString('base64url');
}

export function decodeCursor(cursor: string): Position {
  try {
    const [modifiedMs, path] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (typeof modifiedMs === 'number' && typeof path === 'string') return { modifiedMs, path };
  } catch {
    // Not JSON: reported below.
  }
  throw new Fault('invalid_params', `Invalid cursor: ${JSON.stringify(cursor.slice(0, 60))}`);
}
