// First floor, core: what a line of conversation says about itself, in so few words that nobody need read it to go on. Pure.
import type { Digest, SketchedEntry } from '../../contracts/index.ts';
import { countOf } from '../tree/context-path.ts';
import { restored } from './restored.ts';
import { actedIn } from './rules.ts';
import { spentIn } from './spent.ts';

/** `undefined` where something that was said still waits to be delivered: a digest holds no word of it. */
export function digestOf(sketch: readonly SketchedEntry[]): Digest | undefined {
  const { model, thinkingLevel, queued, held } = restored(sketch);
  if (queued.length > 0 || held.length > 0) return undefined;
  const rules = [...new Set(sketch.flatMap(actedIn))];
  const spent = spentIn(sketch) as Record<string, number> | undefined;
  return {
    type: 'digest',
    messages: countOf(sketch),
    ...(model ? { model } : {}),
    ...(thinkingLevel ? { thinkingLevel } : {}),
    ...(rules.length > 0 ? { rules } : {}),
    ...(spent ? { spent } : {}),
  };
}
