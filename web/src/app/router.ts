// The address of the page: `#/s/ID` shows a session. Back and forward work.
import { effect } from '@preact/signals';
import { currentId, renameStore, selectSession } from './app-state.ts';
import { formatSessionAddress, parseSessionAddress } from './session-address.ts';

export function navigate(sessionId: string | undefined): void {
  location.hash = sessionId === undefined ? '#/' : formatSessionAddress(sessionId);
}

/** The address that `parley serve` prints may name a session: `?session=ID`. */
function readQuery(): void {
  const id = new URLSearchParams(location.search).get('session');
  if (id) history.replaceState(null, '', `${location.pathname}${formatSessionAddress(id)}`);
}

export function startRouter(): void {
  readQuery();
  let shown = parseSessionAddress(location.hash);
  selectSession(shown);
  addEventListener('hashchange', () => {
    shown = parseSessionAddress(location.hash);
    selectSession(shown);
  });
  effect(() => {
    const id = currentId.value;
    if (id === undefined || shown === undefined || id === shown) return;
    // The server has moved this page to another session.
    renameStore(shown, id);
    shown = id;
    history.replaceState(null, '', formatSessionAddress(id));
  });
}
