// The whole page: the list of sessions, the selected session, and what lies above them.
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { PHONE, useMediaQuery } from '../parts/use-media-query.ts';
import { NewSession } from '../sessions/new-session.tsx';
import { SessionList } from '../sessions/session-list.tsx';
import { SessionPage } from '../sessions/session-page.tsx';
import {
  announcement,
  currentStore,
  dismissToast,
  isNewSessionOpen,
  isReadOnly,
  isShortcutListOpen,
  isSidebarOpen,
  listState,
  openPanel,
  toasts,
} from './app-state.ts';
import { LoginPage } from './login-page.tsx';
import { ShortcutList } from './shortcuts.tsx';

export function App() {
  if (listState.value === 'unauthorized') return <LoginPage />;
  const store = currentStore.value;
  return (
    <div class={`app ${store && openPanel.value ? 'with-panel' : ''}`}>
      <button type="button" class="skip-link" onClick={skipToPrompt}>
        Skip to the prompt
      </button>
      <SessionList />
      {isSidebarOpen.value ? (
        <button
          type="button"
          class="backdrop"
          aria-label="Close the list"
          onClick={() => (isSidebarOpen.value = false)}
        />
      ) : null}
      {store ? <SessionPage key={store.view.value.sessionId} store={store} /> : <StartPage />}
      {isNewSessionOpen.value ? <NewSession /> : null}
      {isShortcutListOpen.value ? <ShortcutList /> : null}
      <Toasts />
      <div class="visually-hidden" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </div>
  );
}

function skipToPrompt(): void {
  document.getElementById('prompt')?.focus();
}

function StartPage() {
  const isCovered = useMediaQuery(PHONE) && isSidebarOpen.value;
  return (
    <main class="start-page" inert={isCovered}>
      <IconButton icon="menu" label="Sessions" class="phone-only" onClick={() => (isSidebarOpen.value = true)} />
      <div>
        <span class="brand-mark large" aria-hidden="true">
          <Icon name="terminal" size={26} />
        </span>
        <h1>Parley</h1>
        <p class="quiet">{isReadOnly.value ? 'Choose a session.' : 'Choose a session, or start a new one.'}</p>
        {isReadOnly.value ? null : (
          <button type="button" class="button primary" onClick={() => (isNewSessionOpen.value = true)}>
            <Icon name="plus" size={14} /> New session
          </button>
        )}
      </div>
    </main>
  );
}

function Toasts() {
  return (
    <div class="toasts">
      {toasts.value.map(({ id, level, text }) => (
        <div key={id} class={`toast ${level}`} role={level === 'error' ? 'alert' : 'status'}>
          <Icon name={level === 'error' ? 'warning' : 'info'} size={14} />
          <span>{text}</span>
          <IconButton icon="close" label="Dismiss" onClick={() => dismissToast(id)} />
        </div>
      ))}
    </div>
  );
}
