// Renders a stored session as an HTML page: all branches, or only the current one, with the transcripts of its subagents.
import type { RenderMarkup, StoredSession } from '../../contracts/index.ts';
import { collectPathTo } from '../tree/branching.ts';
import { loadSubagents, type SubagentFiles } from './load-subagents.ts';
import { renderPage } from './render-page.ts';
import type { ExportedPrefix } from './render-prefix.ts';

export interface ExportedSession extends StoredSession {
  readonly branchOnly?: boolean | undefined;
  /** Where the transcripts of subagents are. Without it the page has none. */
  readonly subagentFiles?: SubagentFiles | undefined;
  /** The system prompt and the tools, if the session is open. */
  readonly prefix?: ExportedPrefix | undefined;
  /** Texts that are removed from the system prompt and the tools. */
  readonly secrets?: Iterable<string> | undefined;
}

export async function renderSessionPage(session: ExportedSession, renderMarkup: RenderMarkup): Promise<string> {
  const { branchOnly, subagentFiles, prefix, secrets = [], header, leafId, name } = session;
  const entries = branchOnly ? collectPathTo(session.entries, leafId) : session.entries;
  const subagents = subagentFiles ? await loadSubagents(entries, subagentFiles) : new Map();
  return renderPage({ header, entries, leafId, name, subagents, prefix, secrets }, renderMarkup);
}
