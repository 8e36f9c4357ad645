// The store's notes for the list: what was counted in files that have not changed since. Only saves work; may be thrown away.
import { isRecord } from '../base/json.ts';
import type { Files } from '../contracts/ports.ts';
import { nameOf, summariesFile } from './places.ts';
import type { Summary } from './summary.ts';

const FORMAT = 1;
/** Less than this is counted again sooner than it is written down. */
const WORTH_SAVING = 1024 * 1024;

interface Version {
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
}

interface Note {
  readonly size: number;
  readonly modifiedMs: number;
  /** `null` for what is no session. */
  readonly summary: Summary | null;
}

export interface SummaryCache {
  /** What is known of exactly this version of the file, otherwise what `count` finds. */
  summaryOf(file: Version, count: () => Promise<Summary | undefined>): Promise<Summary | undefined>;
  /** Writes down what was asked for, and forgets the rest. Never rejects: without notes the next list is only slower. */
  save(): Promise<void>;
}

export async function openSummaryCache(files: Files, directory: string): Promise<SummaryCache> {
  const file = summariesFile(directory);
  const known = await notesIn(files, file);
  const asked = new Map<string, Note>();
  let counted = 0;
  return {
    async summaryOf({ path, size, modifiedMs }, count) {
      const name = nameOf(path);
      const note = known.get(name);
      if (note && note.size === size && note.modifiedMs === modifiedMs) {
        asked.set(name, note);
        return note.summary ?? undefined;
      }
      const summary = await count();
      counted += size;
      asked.set(name, { size, modifiedMs, summary: summary ?? null });
      return summary;
    },
    async save() {
      if (counted < WORTH_SAVING) return;
      const text = JSON.stringify({ format: FORMAT, sessions: Object.fromEntries(asked) });
      await files.replace(file, Buffer.from(text), { mode: 0o600 }).catch(() => {});
    },
  };
}

async function notesIn(files: Files, file: string): Promise<ReadonlyMap<string, Note>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(await files.read(file)).toString('utf8'));
    if (!isRecord(value) || value.format !== FORMAT || !isRecord(value.sessions)) return new Map();
    return new Map(Object.entries(value.sessions).filter((pair): pair is [string, Note] => isNote(pair[1])));
  } catch {
    return new Map();
  }
}

function isNote(value: unknown): value is Note {
  return isRecord(value) && (value.summary === null || isSummary(value.summary));
}

function isSummary(value: unknown): value is Summary {
  if (!isRecord(value)) return false;
  const { id, cwd, opening, createdMs, messages, cost } = value;
  const texts = [id, cwd, opening].every((field) => typeof field === 'string');
  return texts && [createdMs, messages, cost].every((field) => typeof field === 'number');
}
