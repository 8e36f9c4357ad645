// The store's look at a session that somebody else may be using: everything in it, without a lock and without a change.
import { Fault, messageOf } from '../base/fault.ts';
import type { Files, OpenFile } from '../contracts/ports.ts';
import type { StoredSession } from '../contracts/store.ts';
import { SESSION_VERSION, type SessionEntry } from '../protocol/entry.ts';
import { readLine } from './entry-line.ts';
import { headerOf, sessionPath, titleIn } from './header.ts';
import { linesForward } from './lines-forward.ts';
import { readEntries } from './read-entries.ts';
import { createUpgrade } from './upgrade.ts';

export async function readSession(files: Files, path: string): Promise<StoredSession> {
  const file = await sessionPath(files, path);
  try {
    const reader = await files.open(file, 'read');
    try {
      const { header, version, end: from } = await headerOf(reader, file);
      const size = await reader.size();
      const entries =
        version === SESSION_VERSION
          ? await readEntries(files, file, size)
          : await upgraded(reader, version, from, size);
      return { header, entries, leafId: entries.at(-1)?.id ?? null, name: nameIn(entries) ?? titleIn(header) };
    } finally {
      await reader.close().catch(() => {});
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault('storage', `Cannot read session file ${path}: ${messageOf(cause)}`, { cause });
  }
}

/** Old formats are translated in memory: the file stays what it is. */
async function upgraded(reader: OpenFile, version: number, from: number, size: number): Promise<SessionEntry[]> {
  const upgrade = createUpgrade(version);
  const entries: SessionEntry[] = [];
  for await (const batch of linesForward(reader, from, size)) {
    for (const raw of batch) {
      const { line } = upgrade(raw);
      const entry = line && readLine({ ...raw, bytes: Buffer.from(line) }).entry;
      if (entry) entries.push(entry);
    }
  }
  return entries;
}

function nameIn(entries: readonly SessionEntry[]): string | undefined {
  const named = entries.findLast((entry) => entry.type === 'session_info' && entry.name);
  return named?.type === 'session_info' ? named.name : undefined;
}
