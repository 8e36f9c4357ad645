// First floor, core: a session that nobody has open, as a page.
import type { StoredSession } from '../../contracts/index.ts';
import { countMessages } from '../session/stats.ts';
import { messageOf } from '../tree/context-path.ts';
import { renderPage } from './page.ts';

export function renderSession(session: StoredSession & { branchOnly?: boolean }): Promise<string> {
  return renderPage({ ...session, stats: countMessages(session.entries.flatMap(messageOf)) });
}
