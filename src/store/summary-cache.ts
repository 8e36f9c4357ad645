// Caches the summaries of unchanged session files for the session list. The cache file may be deleted at any time.
import { isRecord } from '../base/json.ts';
import type { Files } from '../contracts/ports.ts';
import { getFileName, getSummaryCachePath } from './session-paths.ts';
import type { ContentSummary } from './summarize-session.ts';

const FORMAT = 1;
/** Counting fewer bytes again is faster than writing the cache. */
const MIN_COUNTED_BYTES = 1024 * 1024;

interface FileState {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
}

interface CachedSummary {
  readonly size: number;
  readonly modifiedMs: number;
  /** `null` for a file that is not a session. Caches of older versions do not know `interrupted`. */
  readonly summary: (Omit<ContentSummary, 'interrupted'> & Partial<ContentSummary>) | null;
}

/** How the summary of one file is read. */
interface SummaryReader {
  summarize(): Promise<ContentSummary | undefined>;
  isInterrupted(): Promise<boolean>;
}

export interface SummaryCache {
  /** Returns the cached summary of exactly this version of the file, otherwise the result of `summarize`. */
  getSummary(file: FileState, reader: SummaryReader): Promise<ContentSummary | undefined>;
  /**
   * Saves the summaries that were requested. Drops all others, unless `keepsOthers` is set. Never rejects: without a cache the
   * next list is slower.
   */
  save(options?: { keepsOthers?: boolean }): Promise<void>;
}

export async function loadSummaryCache(files: Files, directory: string): Promise<SummaryCache> {
  const file = getSummaryCachePath(directory);
  const cached = await readCachedSummaries(files, file);
  const used = new Map<string, CachedSummary>();
  let countedBytes = 0;
  return {
    async getSummary({ path, size, modifiedMs }, reader) {
      const name = getFileName(path);
      const found = cached.get(name);
      const isCached = found?.size === size && found.modifiedMs === modifiedMs;
      const summary = isCached ? await complete(found.summary, reader) : await reader.summarize();
      if (!isCached) countedBytes += size;
      used.set(name, { size, modifiedMs, summary: summary ?? null });
      return summary;
    },
    async save({ keepsOthers = false } = {}) {
      if (countedBytes < MIN_COUNTED_BYTES) return;
      const saved = keepsOthers ? [...cached, ...used] : used;
      const text = JSON.stringify({ format: FORMAT, sessions: Object.fromEntries(saved) });
      await files.replace(file, Buffer.from(text), { mode: 0o600 }).catch(() => {});
    },
  };
}

async function complete(summary: CachedSummary['summary'], reader: SummaryReader): Promise<ContentSummary | undefined> {
  return summary ? { ...summary, interrupted: summary.interrupted ?? (await reader.isInterrupted()) } : undefined;
}

async function readCachedSummaries(files: Files, file: string): Promise<ReadonlyMap<string, CachedSummary>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(await files.read(file)).toString('utf8'));
    if (!isRecord(value) || value.format !== FORMAT || !isRecord(value.sessions)) return new Map();
    return new Map(
      Object.entries(value.sessions).filter((pair): pair is [string, CachedSummary] => isCachedSummary(pair[1])),
    );
  } catch {
    return new Map();
  }
}

function isCachedSummary(value: unknown): value is CachedSummary {
  return isRecord(value) && (value.summary === null || isSummary(value.summary));
}

function isSummary(value: unknown): value is NonNullable<CachedSummary['summary']> {
  if (!isRecord(value)) return false;
  const { id, cwd, opening, createdMs, messages, cost, interrupted } = value;
  if (interrupted !== undefined && typeof interrupted !== 'boolean') return false;
  const hasTexts = [id, cwd, opening].every((field) => typeof field === 'string');
  return hasTexts && [createdMs, messages, cost].every((field) => typeof field === 'number');
}
