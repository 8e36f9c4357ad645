// Creates the digest of a path: the state that is needed to resume the session without reading its messages. Pure.
import type { Digest, LazyPathEntry } from '../../contracts/index.ts';
import { countContextMessages } from '../tree/context-path.ts';
import { isRunOpen } from '../tree/is-run-open.ts';
import { readSpending } from './read-spending.ts';
import { restoreState } from './restore-state.ts';
import { readTriggeredRules } from './rule-facet.ts';

/** `undefined` if messages wait to be delivered: a digest does not contain messages. */
export function createDigest(path: readonly LazyPathEntry[]): Digest | undefined {
  const { model, thinkingLevel, queued, held } = restoreState(path);
  if (queued.length > 0 || held.length > 0) return undefined;
  const rules = [...new Set(path.flatMap(readTriggeredRules))];
  const spent = readSpending(path) as Record<string, number> | undefined;
  return {
    type: 'digest',
    messages: countContextMessages(path),
    ...(model ? { model } : {}),
    ...(thinkingLevel ? { thinkingLevel } : {}),
    ...(rules.length > 0 ? { rules } : {}),
    ...(spent ? { spent } : {}),
    ...(isRunOpen(path) ? { isInterrupted: true } : {}),
  };
}
