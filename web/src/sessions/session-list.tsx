// The list of sessions at the left: search, state, cost, and the button for a new session.
import { useEffect, useRef, useState } from 'preact/hooks';
import {
  currentId,
  hasOlderSessions,
  isNewSessionOpen,
  isReadOnly,
  isShortcutListOpen,
  isSidebarOpen,
  listedSessions,
  listState,
  now,
  refreshSessions,
  sessionQuery,
  setSessionQuery,
  showOlderSessions,
} from '../app/app-state.ts';
import type { SessionActivity, SessionSummary } from '../app/http-api.ts';
import { navigate } from '../app/router.ts';
import { formatSessionAddress } from '../app/session-address.ts';
import { cycleTheme, theme } from '../app/theme.ts';
import { IconButton } from '../parts/button.tsx';
import { formatAge, formatCost, shortenPath } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { useCoverFocus } from '../parts/use-cover-focus.ts';
import { PHONE, useMediaQuery } from '../parts/use-media-query.ts';
import { getTitle } from './session-title.ts';

const SEARCH_DELAY_MS = 200;

export function SessionList() {
  const isPhone = useMediaQuery(PHONE);
  const isOpen = isSidebarOpen.value;
  const list = useCoverFocus<HTMLElement>(isPhone && isOpen);
  return (
    <nav
      ref={list}
      class={`sidebar ${isOpen ? 'open' : ''}`}
      aria-label="Sessions"
      tabIndex={-1}
      inert={isPhone && !isOpen}
    >
      <header class="sidebar-head">
        <a class="brand" href="#/" aria-label="Parley, start page">
          <span class="brand-mark" aria-hidden="true">
            <Icon name="terminal" size={14} />
          </span>
          Parley
        </a>
        {isReadOnly.value ? null : (
          <IconButton icon="plus" label="New session" onClick={() => (isNewSessionOpen.value = true)} />
        )}
        <IconButton
          icon="close"
          label="Close the list"
          class="phone-only"
          onClick={() => (isSidebarOpen.value = false)}
        />
      </header>
      <SessionSearch />
      <ListProblem />
      <SessionItems />
      <OlderSessions />
      <footer class="sidebar-foot">
        <IconButton
          icon={theme.value === 'system' ? 'system' : theme.value === 'dark' ? 'moon' : 'sun'}
          label={`Theme: ${theme.value}`}
          onClick={cycleTheme}
        />
        <IconButton icon="keyboard" label="Shortcuts (?)" onClick={() => (isShortcutListOpen.value = true)} />
        <a class="icon-button" href="docs" aria-label="API reference" title="API reference">
          <Icon name="book" />
        </a>
      </footer>
    </nav>
  );
}

function SessionSearch() {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class="session-search">
      <Icon name="search" size={14} />
      <input
        id="session-search"
        type="search"
        placeholder="Search title, id or text"
        aria-label="Search sessions"
        value={sessionQuery.value}
        onInput={(event) => {
          setSessionQuery(event.currentTarget.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => void refreshSessions(), SEARCH_DELAY_MS);
        }}
      />
    </div>
  );
}

function SessionItems() {
  const { value: found } = listedSessions;
  const list = useRef<HTMLUListElement>(null);
  const isReady = listState.value === 'ready';
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [currentId.value, isReady, isSidebarOpen.value]);
  if (found.length === 0) return <EmptyList />;
  return (
    <ul ref={list} class="session-list" aria-label="List of sessions">
      {found.map((session) => (
        <SessionItem key={session.id} session={session} isCurrent={session.id === currentId.value} />
      ))}
    </ul>
  );
}

/** The list stays visible while the server cannot be reached, but its states may have changed. */
function ListProblem() {
  if (listState.value !== 'failed') return null;
  return (
    <p class="list-problem" role="status">
      <Icon name="warning" size={14} /> The server cannot be reached.
    </p>
  );
}

function EmptyList() {
  const nothingFound = hasOlderSessions.value ? 'No session found yet.' : 'No session found.';
  const texts = {
    loading: 'Loading…',
    failed: '',
    unauthorized: 'Not signed in.',
    ready: sessionQuery.value === '' ? 'No sessions yet. Press n to start one.' : nothingFound,
  };
  return <p class="empty-list">{texts[listState.value]}</p>;
}

/** A search that takes long ends early, so the sessions that fit may follow. */
function OlderSessions() {
  const [isLoading, setIsLoading] = useState(false);
  if (!hasOlderSessions.value || listState.value !== 'ready') return null;
  const load = async () => {
    setIsLoading(true);
    await showOlderSessions();
    setIsLoading(false);
  };
  const text = sessionQuery.value.trim() === '' ? 'Show older sessions' : 'Search older sessions';
  return (
    <button type="button" class="text-button older-sessions" disabled={isLoading} onClick={() => void load()}>
      {isLoading ? 'Loading…' : text}
    </button>
  );
}

export const ACTIVITY_TEXTS: Readonly<Record<SessionActivity, string>> = {
  running: 'running',
  waiting: 'waiting for an answer',
  interrupted: 'interrupted',
  idle: 'idle',
};

interface SessionItemProps {
  readonly session: SessionSummary;
  readonly isCurrent: boolean;
}

function SessionItem({ session, isCurrent }: SessionItemProps) {
  const { id, cwd, modifiedMs, cost = 0, activity = 'idle' } = session;
  return (
    <li>
      <a
        class="session-item"
        href={formatSessionAddress(id)}
        aria-current={isCurrent ? 'page' : undefined}
        data-session={id}
        onClick={() => (isSidebarOpen.value = false)}
      >
        <span
          class={`dot ${activity}`}
          role="img"
          aria-label={ACTIVITY_TEXTS[activity]}
          title={ACTIVITY_TEXTS[activity]}
        />
        <span class="session-title" dir="auto">
          {getTitle(session)}
        </span>
        <span class="session-age">{formatAge(modifiedMs, now.value)}</span>
        <span class="session-cwd" title={cwd}>
          {shortenPath(cwd)}
        </span>
        <span class="session-cost">{cost > 0 ? formatCost(cost) : ''}</span>
      </a>
    </li>
  );
}

/** Opens the session before or after the current one. */
export function moveInList(step: number): void {
  const list = listedSessions.value;
  const at = list.findIndex(({ id }) => id === currentId.value);
  const next = list[at < 0 ? 0 : Math.min(Math.max(at + step, 0), list.length - 1)];
  if (next) navigate(next.id);
}
