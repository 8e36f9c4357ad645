// The state of the connection, when it is not open.
import { useEffect, useMemo, useReducer } from 'preact/hooks';
import type { SessionStore } from '../app/session-store.ts';
import { Icon } from '../parts/icon.tsx';

const TICK_MS = 500;
/** A connection that opens quickly is not mentioned. */
const QUIET_MS = 400;

/** By close code. The reasons of the server contain paths that are too long for the bar. */
const LOSS_TEXTS: Readonly<Record<number, string>> = {
  1012: 'The server has ended or has closed the session.',
  1013: 'The server cannot serve this page at the moment.',
  4408: 'This page read too slowly.',
  4409: 'The session is in use by another process.',
  4429: 'This page sent too many frames.',
};

export function ConnectionBar({ store }: { readonly store: SessionStore }) {
  const state = store.connectionState.value;
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const since = useMemo(() => Date.now(), [state.kind]);
  useEffect(() => {
    if (state.kind === 'open') return;
    const timer = setInterval(redraw, TICK_MS);
    return () => clearInterval(timer);
  }, [state.kind]);
  if (state.kind === 'open') return null;
  const now = Date.now();
  if (state.kind === 'connecting' && state.attempt === 0 && now - since < QUIET_MS) return null;
  if (state.kind === 'refused') {
    return (
      <div class="connection-bar refused" role="alert">
        <Icon name="warning" size={14} /> {state.reason || `The server refused the connection (${state.code})`}
      </div>
    );
  }
  const seconds = state.kind === 'waiting' ? Math.max(0, Math.ceil((state.retryAt - now) / 1000)) : 0;
  const loss = LOSS_TEXTS[state.closeCode ?? 0] ?? 'Connection lost.';
  return (
    <div class="connection-bar" title={state.kind === 'waiting' ? state.reason : undefined}>
      <span class="spinner" aria-hidden="true" />
      {/* Announced once: the seconds would be read out one by one. */}
      <span role="status">{state.attempt === 0 ? 'Connecting…' : loss}</span>
      {state.attempt === 0 ? null : (
        <span aria-hidden="true">{state.kind === 'connecting' ? 'Connecting…' : `Retry in ${seconds} s.`}</span>
      )}
      {state.kind === 'waiting' ? (
        <button type="button" class="text-button" onClick={() => store.retryNow()}>
          Connect now
        </button>
      ) : null}
    </div>
  );
}
