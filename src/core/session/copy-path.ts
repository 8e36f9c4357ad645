// Copies a path of entries as the start of a new session. Pure.
import type { EntryBody, SessionEntry } from '../../protocol/index.ts';
import { RUN_END_ENTRY } from '../../protocol/run-progress.ts';
import { createIdGenerator } from '../tree/id-generator.ts';
import { findNextStep } from './next-step.ts';
import { QUEUE_ENTRY, restoreState } from './restore-state.ts';

export interface CopyOptions {
  nextId(): string;
  timestamp: string;
}

/** Appends the extra entries and an entry that clears the queue: queued messages stay in the original session. */
export function copyPath(
  path: readonly SessionEntry[],
  extraEntries: readonly EntryBody[],
  options: CopyOptions,
): SessionEntry[] {
  const copy = [...path];
  const nextId = createIdGenerator(
    path.map(({ id }) => id),
    () => options.nextId(),
  );
  // The copy has no queue, and no run goes on in it.
  const end: EntryBody[] = findNextStep(path) ? [{ type: 'custom', customType: RUN_END_ENTRY }] : [];
  for (const { type, ...rest } of [...extraEntries, ...createQueueClearEntry(path), ...end]) {
    const entryFields = { id: nextId(), parentId: copy.at(-1)?.id ?? null, timestamp: options.timestamp };
    copy.push({ type, ...entryFields, ...rest } as SessionEntry);
  }
  return copy;
}

function createQueueClearEntry(path: readonly SessionEntry[]): EntryBody[] {
  const { queued } = restoreState(path);
  if (queued.length === 0) return [];
  return [{ type: 'custom', customType: QUEUE_ENTRY, data: { op: 'clear', ids: queued.map((item) => item.id) } }];
}
