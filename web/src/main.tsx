// Starts the page.
import { render } from 'preact';
import { App } from './app/app.tsx';
import { currentStore, pollSessions, refreshSessions } from './app/app-state.ts';
import { startRouter } from './app/router.ts';
import { startShortcuts } from './app/shortcuts.tsx';
import { startTheme } from './app/theme.ts';
import { startWindowTitle } from './app/window-title.ts';

/** The state and the cost of other sessions change without an event of this connection. */
const REFRESH_MS = 4_000;

function refreshWhileVisible(): void {
  if (!document.hidden) void pollSessions();
}

function reconnect(): void {
  if (document.hidden) return;
  currentStore.value?.retryNow();
  void refreshSessions();
}

startTheme();
startRouter();
startShortcuts();
startWindowTitle();
addEventListener('online', reconnect);
document.addEventListener('visibilitychange', reconnect);
setInterval(refreshWhileVisible, REFRESH_MS);
void refreshSessions();

const root = document.getElementById('app');
if (root) render(<App />, root);
