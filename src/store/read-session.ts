// Reads a whole session without a lock and without changing it. Another process may be using it.
import { Fault, getErrorMessage } from '../base/fault.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';
import type { StoredSession } from '../contracts/session-store.ts';
import { SESSION_VERSION, type SessionEntry } from '../protocol/session-entry.ts';
import { parseLine } from './entry-line.ts';
import { readEntries } from './read-entries.ts';
import { readLinesForward } from './read-lines-forward.ts';
import { getTitle, readHeader, resolveSessionPath } from './session-header.ts';
import { createLineUpgrader } from './upgrade-line.ts';

export async function readSession(files: Files, path: string): Promise<StoredSession> {
  const file = await resolveSessionPath(files, path);
  try {
    const reader = await files.open(file, 'read');
    try {
      const { header, version, end: from } = await readHeader(reader, file);
      const size = await reader.size();
      const entries =
        version === SESSION_VERSION
          ? await readEntries(files, file, size)
          : await readUpgradedEntries(reader, version, from, size);
      return {
        header,
        entries,
        leafId: entries.at(-1)?.id ?? null,
        name: findSessionName(entries) ?? getTitle(header),
      };
    } finally {
      await reader.close().catch(() => {});
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('storage', `Cannot read session file ${path}: ${getErrorMessage(cause)}`, { cause });
  }
}

/** Old formats are upgraded in memory. The file is not changed. */
async function readUpgradedEntries(
  reader: OpenFile,
  version: number,
  from: number,
  size: number,
): Promise<SessionEntry[]> {
  const upgrade = createLineUpgrader(version);
  const entries: SessionEntry[] = [];
  for await (const batch of readLinesForward(reader, from, size)) {
    for (const raw of batch) {
      const { line } = upgrade(raw);
      const entry = line && parseLine({ ...raw, bytes: Buffer.from(line) }).entry;
      if (entry) entries.push(entry);
    }
  }
  return entries;
}

function findSessionName(entries: readonly SessionEntry[]): string | undefined {
  const named = entries.findLast((entry) => entry.type === 'session_info' && entry.name);
  return named?.type === 'session_info' ? named.name : undefined;
}
