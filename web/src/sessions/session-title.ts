// The title of a session: its name, what an extension set, or its first prompt.
import { findSummary } from '../app/app-state.ts';
import type { SessionSummary } from '../app/http-api.ts';
import { readText } from '../panels/tree-layout.ts';
import { shorten } from '../parts/format.ts';
import type { SessionView } from '../store/session-view.ts';

export function getTitle({ name, firstPrompt }: Pick<SessionSummary, 'name' | 'firstPrompt'>): string {
  return name || shorten(firstPrompt, 120) || 'New session';
}

export function findTitle({ state, sessionId, title, conversation }: SessionView): string {
  const [first] = conversation.messages;
  const firstPrompt = first?.role === 'user' ? readText(first.content) : '';
  return state?.sessionName || title || getTitle({ firstPrompt, ...findSummary(sessionId) });
}
