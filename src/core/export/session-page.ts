// First floor, core: a session as a page: all of it, or the current line only.
import type { RenderMarkup, StoredSession } from '../../contracts/index.ts';
import { countMessages } from '../session/stats.ts';
import { lineTo } from '../tree/branching.ts';
import { messageOf } from '../tree/context-path.ts';
import { renderPage } from './page.ts';

export function renderSession(
  { branchOnly, ...session }: StoredSession & { branchOnly?: boolean },
  renderMarkup: RenderMarkup,
): Promise<string> {
  const entries = branchOnly ? lineTo(session.entries, session.leafId) : session.entries;
  return renderPage({ ...session, entries, stats: countMessages(entries.flatMap(messageOf)) }, renderMarkup);
}
