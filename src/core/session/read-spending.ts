// Reads from the log what a conversation has spent. Pure. Does not read messages.
import { isRecord } from '../../base/index.ts';
import type { LazyPathEntry } from '../../contracts/index.ts';
import { COUNTERS, type Spending } from '../policy/budget.ts';
import { isDigest } from '../tree/context-path.ts';
import { CHECKPOINT_ENTRY } from './restore-state.ts';

/** Holds the total spending so far, including subagents. Written only if there is a budget. */
export const SPENDING_ENTRY = 'parley.budget';

/** Uses the newest entry: each one holds the total. */
export function readSpending(path: readonly LazyPathEntry[]): Spending | undefined {
  for (const entry of path.toReversed()) {
    if (isDigest(entry)) return entry.spent && { ...entry.spent };
    if (entry.type !== 'custom') continue;
    const data = entry.customType === CHECKPOINT_ENTRY && isRecord(entry.data) ? entry.data.spent : entry.data;
    if (entry.customType !== SPENDING_ENTRY && entry.customType !== CHECKPOINT_ENTRY) continue;
    if (isRecord(data)) return Object.fromEntries(COUNTERS.map((counter) => [counter, toAmount(data[counter])]));
  }
  return undefined;
}

function toAmount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
