// Renders a stored session as an HTML page: all branches, or only the current one.
import type { RenderMarkup, StoredSession } from '../../contracts/index.ts';
import { collectPathTo } from '../tree/branching.ts';
import { entryToMessages } from '../tree/context-path.ts';
import { countMessages } from '../tree/count-messages.ts';
import { renderPage } from './render-page.ts';

export function renderSessionPage(
  { branchOnly, ...session }: StoredSession & { branchOnly?: boolean },
  renderMarkup: RenderMarkup,
): Promise<string> {
  const entries = branchOnly ? collectPathTo(session.entries, session.leafId) : session.entries;
  return renderPage({ ...session, entries, stats: countMessages(entries.flatMap(entryToMessages)) }, renderMarkup);
}
