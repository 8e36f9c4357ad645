// The store's queue: one conversation's entries on their way to its file, in order. Must not know what an entry means.
import { type Deferred, deferred } from '../base/deferred.ts';
import { Fault, messageOf } from '../base/fault.ts';
import { toJson } from '../base/json.ts';
import type { Clock, Files } from '../contracts/ports.ts';
import type { SessionLog } from '../contracts/store.ts';
import type { SessionEntry, SessionHeader } from '../protocol/entry.ts';
import type { BlockFile } from './jsonl-file.ts';

/** Less is read again sooner than it is written down. */
const LONG_BYTES = 256 * 1024;

interface Waiting extends Deferred<void> {
  readonly lines: string;
}

export interface JsonlLogOptions {
  readonly files: Files;
  readonly clock: Clock;
  readonly file: string;
  readonly target: BlockFile;
  /** Logs of so many bytes are worth remembering something of. */
  readonly longBytes?: number | undefined;
  /** Whether nothing in it is damaged or kept elsewhere. */
  readonly isSound?: (() => boolean) | undefined;
  /** Goes before the first entries of a new file. */
  readonly header?: SessionHeader | undefined;
}

/**
 * Calls that come while a write is under way share the next write and its sync. When a write fails, everything that waited
 * behind it fails too: those entries were added in the belief that the ones before them would stand.
 */
export function createJsonlLog(options: JsonlLogOptions): SessionLog {
  const { files, file, target, header, longBytes = LONG_BYTES, isSound } = options;
  const encoder = new TextEncoder();
  let queue: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  let opening = header ? `${toJson(header)}\n` : '';

  async function writeAll(): Promise<void> {
    // Gives the other calls of this moment their place in the first write.
    await undefined;
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      try {
        await target.append(encoder.encode(opening + batch.map((waiting) => waiting.lines).join('')));
        opening = '';
        for (const waiting of batch) waiting.resolve();
      } catch (cause) {
        const lost = [...batch, ...queue];
        queue = [];
        const fault = refusal(file, cause);
        for (const waiting of lost) waiting.reject(fault);
      }
    }
    writing = undefined;
  }

  return {
    file,
    async append(entries) {
      if (closing) throw new Fault('storage', `Cannot write session file ${file}: it is closed`);
      if (entries.length === 0) return;
      const waiting = { ...deferred(), lines: linesOf(entries, file) };
      queue.push(waiting);
      writing ??= writeAll();
      return waiting.promise;
    },
    async readAll() {
      await writing;
      const { readEntries } = await import('./read-entries.ts');
      return readEntries(files, file, target.end);
    },
    async remember(about) {
      await writing;
      if (closing || target.end < longBytes || isSound?.() === false) return;
      const { writeDigest } = await import('./digest-file.ts');
      await writeDigest(options, about);
    },
    close() {
      closing ??= Promise.resolve(writing).then(() => target.close());
      return closing;
    },
  };
}

/** What says by itself which session it is about is passed on as it is. */
function refusal(file: string, cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  return new Fault('storage', `Cannot write session file ${file}: ${messageOf(cause)}`, { cause });
}

/** Taken down at the call: what happens to the objects afterwards is not history. */
function linesOf(entries: readonly SessionEntry[], file: string): string {
  try {
    return entries.map((entry) => `${toJson(entry)}\n`).join('');
  } catch (cause) {
    throw new Fault('storage', `Cannot write session file ${file}: an entry is not JSON: ${messageOf(cause)}`, {
      cause,
    });
  }
}
