// The title of a session: its name, what an extension set, or its first prompt.
import { sessions } from '../app/app-state.ts';
import type { SessionSummary } from '../app/http-api.ts';
import { shorten } from '../parts/format.ts';
import type { SessionView } from '../store/session-view.ts';

export function getTitle({ name, firstPrompt }: Pick<SessionSummary, 'name' | 'firstPrompt'>): string {
  return name || shorten(firstPrompt, 120) || 'New session';
}

export function findTitle({ state, sessionId, title }: SessionView): string {
  const summary = sessions.value.find(({ id }) => id === sessionId);
  return state?.sessionName || title || (summary ? getTitle(summary) : 'New session');
}
