// First floor, core: what a conversation says it has cost so far. Pure; reads no message.
import { isRecord } from '../../base/index.ts';
import type { SketchedEntry } from '../../contracts/index.ts';
import { COUNTERS, type Spending } from '../policy/budget.ts';
import { isDigest } from '../tree/context-path.ts';
import { CHECKPOINT_ENTRY } from './restored.ts';

/** All that was spent up to here, by subagents too. Written only where there is a budget. */
export const SPENT_ENTRY = 'parley.budget';

/** The newest word counts: each is the whole sum. */
export function spentIn(line: readonly SketchedEntry[]): Spending | undefined {
  for (const entry of line.toReversed()) {
    if (isDigest(entry)) return entry.spent && { ...entry.spent };
    if (entry.type !== 'custom') continue;
    const said = entry.customType === CHECKPOINT_ENTRY && isRecord(entry.data) ? entry.data.spent : entry.data;
    if (entry.customType !== SPENT_ENTRY && entry.customType !== CHECKPOINT_ENTRY) continue;
    if (isRecord(said)) return Object.fromEntries(COUNTERS.map((counter) => [counter, sound(said[counter])]));
  }
  return undefined;
}

function sound(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
