// Runs the beforeSettle hook, which can add entries to the log and ask for one more request before a run settles.
import type { PlannedSettlement } from '../../contracts/index.ts';
import { withAbortFallback } from '../agent/take-until-aborted.ts';
import { entryToMessages } from '../tree/context-path.ts';
import type { SessionState } from './session-state.ts';

/** Returns true if the run continues. The entries count also when the run is aborted meanwhile. */
export async function runBeforeSettle(
  { hooks, conversation, broadcast, ports }: SessionState,
  outcome: PlannedSettlement['outcome'],
  signal: AbortSignal,
): Promise<boolean> {
  const hookCall = hooks.beforeSettle?.({ outcome, path: [...conversation.path] });
  const result = hookCall && (await withAbortFallback(hookCall, () => undefined, signal, ports.clock));
  if (!result) return false;
  if (result.entries.length > 0) {
    const count = conversation.path.length;
    await conversation.commit([...result.entries]);
    for (const message of conversation.path.slice(count).flatMap(entryToMessages)) {
      await broadcast.emit({ type: 'message_start', message });
      await broadcast.emit({ type: 'message_end', message });
    }
  }
  return result.shouldContinue && outcome === 'completed' && !signal.aborted;
}
