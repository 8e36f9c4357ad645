// The address of the page: `#/s/ID` shows a session. Back and forward work.
import { effect } from '@preact/signals';
import { currentId, renameStore, selectSession } from './app-state.ts';

const SESSION_ADDRESS = /^#\/s\/([^/]+)$/;

function readAddress(): string | undefined {
  const [, id] = SESSION_ADDRESS.exec(location.hash) ?? [];
  return id === undefined ? undefined : decodeURIComponent(id);
}

export function navigate(sessionId: string | undefined): void {
  location.hash = sessionId === undefined ? '#/' : `#/s/${encodeURIComponent(sessionId)}`;
}

/** The address that `parley serve` prints may name a session: `?session=ID`. */
function readQuery(): void {
  const id = new URLSearchParams(location.search).get('session');
  if (id) history.replaceState(null, '', `${location.pathname}#/s/${encodeURIComponent(id)}`);
}

export function startRouter(): void {
  readQuery();
  let shown = readAddress();
  selectSession(shown);
  addEventListener('hashchange', () => {
    shown = readAddress();
    selectSession(shown);
  });
  effect(() => {
    const id = currentId.value;
    if (id === undefined || shown === undefined || id === shown) return;
    // The server has moved this page to another session.
    renameStore(shown, id);
    shown = id;
    history.replaceState(null, '', `#/s/${encodeURIComponent(id)}`);
  });
}
