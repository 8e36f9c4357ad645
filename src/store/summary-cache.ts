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
  /** `null` for a file that is not a session. */
  readonly summary: ContentSummary | null;
}

export interface SummaryCache {
  /** Returns the cached summary of exactly this version of the file, otherwise the result of `summarize`. */
  getSummary(
    file: FileState,
    summarize: () => Promise<ContentSummary | undefined>,
  ): Promise<ContentSummary | undefined>;
  /** Saves the summaries that were requested and drops all others. Never rejects: without a cache the next list is slower. */
  save(): Promise<void>;
}

export async function loadSummaryCache(files: Files, directory: string): Promise<SummaryCache> {
  const file = getSummaryCachePath(directory);
  const cached = await readCachedSummaries(files, file);
  const used = new Map<string, CachedSummary>();
  let countedBytes = 0;
  return {
    async getSummary({ path, size, modifiedMs }, summarize) {
      const name = getFileName(path);
      const cachedSummary = cached.get(name);
      if (cachedSummary && cachedSummary.size === size && cachedSummary.modifiedMs === modifiedMs) {
        used.set(name, cachedSummary);
        return cachedSummary.summary ?? undefined;
      }
      const summary = await summarize();
      countedBytes += size;
      used.set(name, { size, modifiedMs, summary: summary ?? null });
      return summary;
    },
    async save() {
      if (countedBytes < MIN_COUNTED_BYTES) return;
      const text = JSON.stringify({ format: FORMAT, sessions: Object.fromEntries(used) });
      await files.replace(file, Buffer.from(text), { mode: 0o600 }).catch(() => {});
    },
  };
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

function isSummary(value: unknown): value is ContentSummary {
  if (!isRecord(value)) return false;
  const { id, cwd, opening, createdMs, messages, cost } = value;
  const hasTexts = [id, cwd, opening].every((field) => typeof field === 'string');
  return hasTexts && [createdMs, messages, cost].every((field) => typeof field === 'number');
}
