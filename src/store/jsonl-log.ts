// Queues the entries of one session and writes them to its file in order.
import { createDeferred, type Deferred } from '../base/deferred.ts';
import { Fault, getErrorMessage } from '../base/fault.ts';
import { toJson } from '../base/json.ts';
import type { Clock, Files } from '../contracts/ports.ts';
import type { SessionDirectory, SessionLog } from '../contracts/session-store.ts';
import type { SessionEntry, SessionHeader } from '../protocol/session-entry.ts';
import type { BlockFile } from './block-file.ts';

/** Reading a smaller log is faster than writing a digest. */
const DEFAULT_DIGEST_MIN_BYTES = 256 * 1024;

interface PendingWrite extends Deferred<void> {
  readonly lines: string;
}

export interface JsonlLogOptions {
  readonly files: Files;
  readonly clock: Clock;
  readonly file: string;
  readonly target: BlockFile;
  /** Minimum size of a log for which a digest is written. */
  readonly digestMinBytes?: number | undefined;
  /** Whether no entry is damaged and no image is stored outside of the log. */
  readonly isIntact?: (() => boolean) | undefined;
  /** Written before the first entries of a new file. */
  readonly header?: SessionHeader | undefined;
  /** Default: the one that is named after the file. */
  readonly directory?: SessionDirectory | undefined;
}

/**
 * Calls during a write share the next write and its sync. When a write fails, all queued writes fail too, because their
 * entries depend on the entries before them.
 */
export function createJsonlLog(options: JsonlLogOptions): SessionLog {
  const { files, file, target, header, directory, digestMinBytes = DEFAULT_DIGEST_MIN_BYTES, isIntact } = options;
  const encoder = new TextEncoder();
  let queue: PendingWrite[] = [];
  let writing: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  let headerLine = header ? `${toJson(header)}\n` : '';

  async function drainQueue(): Promise<void> {
    // Lets other calls of the same tick join the first write.
    await undefined;
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      try {
        await target.append(encoder.encode(headerLine + batch.map((pendingWrite) => pendingWrite.lines).join('')));
        headerLine = '';
        for (const pendingWrite of batch) pendingWrite.resolve();
      } catch (cause) {
        const failedWrites = [...batch, ...queue];
        queue = [];
        const fault = toStorageFault(file, cause);
        for (const pendingWrite of failedWrites) pendingWrite.reject(fault);
      }
    }
    writing = undefined;
  }

  return {
    file,
    directory: directory ?? { path: file.replace(/\.jsonl$/, '') },
    async append(entries) {
      if (closing) {
        const message = `Cannot write session file ${file}: it is closed`;
        throw new Fault('storage', message, { details: { reason: 'closed' } });
      }
      if (entries.length === 0) return;
      const pendingWrite = { ...createDeferred(), lines: serializeEntries(entries, file) };
      queue.push(pendingWrite);
      writing ??= drainQueue();
      return pendingWrite.promise;
    },
    async readAll() {
      await writing;
      const { readEntries } = await import('./read-entries.ts');
      return readEntries(files, file, target.end);
    },
    async writeDigest(getRecord) {
      await writing;
      if (closing || target.end < digestMinBytes || isIntact?.() === false) return;
      const { writeDigest } = await import('./digest-file.ts');
      await writeDigest(options, getRecord);
    },
    close() {
      closing ??= Promise.resolve(writing).then(() => target.close());
      return closing;
    },
  };
}

/** A Fault already names the session, so it is passed on unchanged. */
function toStorageFault(file: string, cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  return new Fault('storage', `Cannot write session file ${file}: ${getErrorMessage(cause)}`, { cause });
}

/** Serializes at the call, so that later changes to the objects are not written. */
function serializeEntries(entries: readonly SessionEntry[], file: string): string {
  try {
    return entries.map((entry) => `${toJson(entry)}\n`).join('');
  } catch (cause) {
    throw new Fault('storage', `Cannot write session file ${file}: an entry is not JSON: ${getErrorMessage(cause)}`, {
      cause,
    });
  }
}
