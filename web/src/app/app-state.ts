// The state of the page itself: the selected session, the list of sessions, open panels, messages for the user.
import { computed, effect, signal } from '@preact/signals';
import { describeActivity } from '../store/session-view.ts';
import { ApiError, listSessions, type SessionSummary } from './http-api.ts';
import { SessionStore } from './session-store.ts';

export type PanelName = 'todos' | 'subagents' | 'tree' | 'usage' | 'frames';

export interface Toast {
  readonly id: number;
  readonly level: 'info' | 'error';
  readonly text: string;
}

export const sessions = signal<readonly SessionSummary[]>([]);
export const sessionQuery = signal('');
/** How many pages of the list are shown, and whether older sessions follow. */
const sessionPages = signal(1);
export const hasOlderSessions = signal(false);
export const listState = signal<'loading' | 'ready' | 'failed' | 'unauthorized'>('loading');
export const currentStore = signal<SessionStore | undefined>(undefined);
export const openPanel = signal<PanelName | undefined>(undefined);
export const isSidebarOpen = signal(false);
export const isShortcutListOpen = signal(false);
export const isNewSessionOpen = signal(false);
export const toasts = signal<readonly Toast[]>([]);
/** A text that a screen reader reads out. */
export const announcement = signal('');

/** A screen reader notices only a text that changes: an equal one gets a blank. */
export function announce(text: string): void {
  announcement.value = announcement.value === text ? `${text}\u00a0` : text;
}

/** The current time, for ages in lists. Updated with the list of sessions. */
export const now = signal(Date.now());

export const currentId = computed(() => currentStore.value?.view.value.sessionId);
// Each changes seldom, so that the list is not drawn again with every delta of a run.
const ownActivity = computed(() => currentStore.value && describeActivity(currentStore.value.view.value));
const currentName = computed(() => currentStore.value?.view.value.state?.sessionName);
const isCurrentLoaded = computed(() => currentStore.value?.view.value.isLoaded === true);
const currentAccess = computed(() => currentStore.value?.view.value.access);
/** The server has closed the connection for good: the session was deleted or closed, or the token is not valid. */
export const isRefused = computed(() => currentStore.value?.connectionState.value.kind === 'refused');
/** What the selected session does. A client that only reads gets no questions, but the list says that one waits. */
export const currentActivity = computed(() => {
  if (currentAccess.value === 'full' || ownActivity.value !== 'running') return ownActivity.value;
  return sessions.value.find(({ id }) => id === currentId.value)?.activity === 'waiting' ? 'waiting' : 'running';
});
/** The sessions of the list. A new session has no log before its first prompt, so it is added here. */
export const listedSessions = computed((): readonly SessionSummary[] => {
  const id = currentId.value;
  const activity = currentActivity.value;
  const isShown = isCurrentLoaded.value && !isRefused.value;
  if (!isShown || id === undefined || activity === undefined) return sessions.value;
  const known = sessions.value.map((session) => (session.id === id ? { ...session, activity } : session));
  const isListed = known.some((session) => session.id === id) || sessionQuery.value.trim() !== '';
  if (isListed) return known;
  const name = currentName.value;
  const added = { id, cwd: '', firstPrompt: '', modifiedMs: now.value, activity };
  return [{ ...added, ...(name ? { name } : {}) }, ...known];
});

export const canChange = computed(() => currentAccess.value === 'full' && !isRefused.value);
/** Whether the token of this client can only read. Known when a session has been loaded. */
export const isReadOnly = signal(false);
effect(() => {
  if (isCurrentLoaded.value) isReadOnly.value = currentAccess.value === 'read';
});

const TOAST_MS = 8_000;
const MAX_STORES = 6;
let toastCount = 0;

export function showToast(text: string, level: Toast['level'] = 'error'): void {
  const id = ++toastCount;
  toasts.value = [...toasts.value.slice(-3), { id, level, text }];
  setTimeout(() => dismissToast(id), TOAST_MS);
}

export function dismissToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function togglePanel(name: PanelName): void {
  openPanel.value = openPanel.value === name ? undefined : name;
}

/** The name by which other clients see this page. The same after a reload. */
function getClientName(): string {
  const stored = sessionStorage.getItem('client');
  if (stored) return stored;
  const name = `page-${Math.random().toString(36).slice(2, 6)}`;
  sessionStorage.setItem('client', name);
  return name;
}

/** Stores of sessions that were shown last: coming back needs only the events since then. */
const stores = new Map<string, SessionStore>();

function getStore(sessionId: string): SessionStore {
  const store = stores.get(sessionId) ?? new SessionStore(sessionId, getClientName(), showToast);
  stores.delete(sessionId);
  stores.set(sessionId, store);
  const [oldest] = stores.keys();
  if (stores.size > MAX_STORES && oldest !== undefined) stores.delete(oldest);
  return store;
}

export function forgetStore(sessionId: string): void {
  stores.get(sessionId)?.disconnect();
  stores.delete(sessionId);
}

/** Shows a session; `undefined` shows the start page. */
export function selectSession(sessionId: string | undefined): void {
  const old = currentStore.value;
  if (old && old.view.value.sessionId === sessionId) return;
  old?.disconnect();
  const store = sessionId === undefined ? undefined : getStore(sessionId);
  store?.connect();
  currentStore.value = store;
  isSidebarOpen.value = false;
}

/** The server has moved this client to another session, for example after `branch`. */
export function renameStore(oldId: string, newId: string): void {
  const store = stores.get(oldId);
  if (!store) return;
  stores.delete(oldId);
  stores.set(newId, store);
}

/** The sessions that were listed so far: a search must not change what is shown of the selected session. */
const summaries = new Map<string, SessionSummary>();

export function findSummary(sessionId: string): SessionSummary | undefined {
  return sessions.value.find(({ id }) => id === sessionId) ?? summaries.get(sessionId);
}

let latestRequest = 0;
let openRequests = 0;

/** Does nothing while a request is open: a later one would discard the reply of a slow search again and again. */
export async function pollSessions(): Promise<void> {
  if (openRequests === 0) await refreshSessions();
}

export function setSessionQuery(query: string): void {
  sessionQuery.value = query;
  sessionPages.value = 1;
}

export async function showOlderSessions(): Promise<void> {
  sessionPages.value += 1;
  await refreshSessions();
}

export async function refreshSessions(): Promise<void> {
  const request = ++latestRequest;
  openRequests += 1;
  try {
    const { sessions: found, hasMore } = await listSessions(sessionQuery.value.trim(), sessionPages.value);
    if (request !== latestRequest) return;
    for (const summary of found) summaries.set(summary.id, summary);
    sessions.value = found;
    hasOlderSessions.value = hasMore;
    listState.value = 'ready';
    now.value = Date.now();
  } catch (thrown) {
    if (request !== latestRequest) return;
    const isUnauthorized = thrown instanceof ApiError && thrown.status === 401;
    listState.value = isUnauthorized ? 'unauthorized' : 'failed';
  } finally {
    openRequests -= 1;
  }
}
