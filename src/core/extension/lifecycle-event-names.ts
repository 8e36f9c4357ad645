// Maps lifecycle events of a session to the event names that extensions listen to. Pure.
import type { LifecycleEvent } from '../../contracts/index.ts';

type ExtensionEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Older pi versions have one event per reason (`session_switch`, `session_fork`, `session_branch`). Newer ones only have `session_start`. */
export function lifecycleEventNames(event: LifecycleEvent): readonly ExtensionEvent[] {
  if (event.type !== 'session_start') return [{ ...event }];
  const { reason, previousSessionFile } = event;
  const olderEvents =
    reason === 'fork'
      ? [
          { type: 'session_fork', previousSessionFile },
          { type: 'session_branch', previousSessionFile },
        ]
      : [{ type: 'session_switch', reason, previousSessionFile }];
  return [...olderEvents, { type: 'session_start', reason, previousSessionFile }];
}
