// The title of the window: the state of the session first, because tabs cut the end.
import { computed, effect } from '@preact/signals';
import { takeStart } from '../parts/format.ts';
import { findTitle } from '../sessions/session-title.ts';
import { currentActivity, currentStore } from './app-state.ts';
import type { SessionActivity } from './http-api.ts';

const STATES: Readonly<Record<SessionActivity, string>> = {
  running: 'Running',
  waiting: 'Question',
  interrupted: 'Interrupted',
  idle: '',
};

const MAX_LENGTH = 80;

function formatWindowTitle(title: string, activity: SessionActivity, isConnected: boolean): string {
  const name = title.length > MAX_LENGTH ? `${takeStart(title, MAX_LENGTH)}…` : title;
  return [isConnected ? STATES[activity] : 'Offline', name, 'Parley'].filter((part) => part !== '').join(' · ');
}

const windowTitle = computed(() => {
  const store = currentStore.value;
  if (!store) return 'Parley';
  const view = store.view.value;
  const { kind } = store.connectionState.value;
  const isConnected = kind === 'open' || (kind === 'connecting' && !view.isLoaded);
  return formatWindowTitle(findTitle(view), currentActivity.value ?? 'idle', isConnected);
});

/** Written only when it changes: the view changes in every animation frame of a run, and the browser would draw the tab again. */
export function startWindowTitle(): void {
  effect(() => {
    document.title = windowTitle.value;
  });
}
