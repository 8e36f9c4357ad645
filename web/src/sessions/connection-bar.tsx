// The state of the connection, when it is not open.
import { useEffect, useState } from 'preact/hooks';
import type { SessionStore } from '../app/session-store.ts';
import { Icon } from '../parts/icon.tsx';

const TICK_MS = 500;
/** A connection that opens quickly is not mentioned. */
const QUIET_MS = 400;

export function ConnectionBar({ store }: { readonly store: SessionStore }) {
  const state = store.connectionState.value;
  const [now, setNow] = useState(Date.now());
  const [since, setSince] = useState(Date.now());
  useEffect(() => {
    if (state.kind === 'open') return;
    setSince(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [state.kind]);
  if (state.kind === 'open') return null;
  if (state.kind === 'connecting' && state.attempt === 0 && now - since < QUIET_MS) return null;
  if (state.kind === 'refused') {
    return (
      <div class="connection-bar refused" role="alert">
        <Icon name="warning" size={14} /> {state.reason || `The server refused the connection (${state.code})`}
      </div>
    );
  }
  const seconds = state.kind === 'waiting' ? Math.max(0, Math.ceil((state.retryAt - now) / 1000)) : 0;
  return (
    <div class="connection-bar">
      <span class="spinner" aria-hidden="true" />
      {/* Announced once: the seconds would be read out one by one. */}
      <span role="status">{state.attempt === 0 ? 'Connecting…' : 'Connection lost.'}</span>
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
