// Renders a session as one self-contained HTML page.
import type { RenderMarkup } from '../../contracts/index.ts';
import { type EntryIndex, indexEntries } from '../../protocol/entry-index.ts';
import { extractText, type SessionEntry, type SessionHeader, type SessionStats } from '../../protocol/index.ts';
import { entryToMessages } from '../tree/context-path.ts';
import { escapeHtml } from './escape.ts';
import { formatNumber, formatTime, formatUsage, shortenLine } from './format.ts';
import { MarkupBatch } from './markup-batch.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';
import { findBranches, renderBranchSelect, renderOutline } from './render-branches.ts';
import { type EntryMetadata, renderEntry } from './render-entry.ts';
import { summarizeToolCall } from './render-message-body.ts';

export interface PageContent {
  header: SessionHeader;
  entries: readonly SessionEntry[];
  leafId: string | null;
  name: string | undefined;
  stats: Pick<SessionStats, 'tokens' | 'cost' | 'totalMessages'>;
}

/** Identifies an earlier export, which a later export may overwrite. */
export const PAGE_GENERATOR = 'Parley export';

export async function renderPage(content: PageContent, renderMarkup: RenderMarkup): Promise<string> {
  const entryIndex = indexEntries(content.entries);
  const metadata = createEntryMetadata(entryIndex);
  const branches = findBranches(entryIndex, entryIndex.findPosition(content.leafId));
  const markup = new MarkupBatch();
  const renderEntries = () =>
    content.entries.map((entry, at) => renderEntry(entry, metadata[at] as EntryMetadata, markup));
  // The first pass collects the markup, the second pass uses the rendered result.
  renderEntries();
  await markup.renderAll(renderMarkup);
  const entryHtml = renderEntries();
  const title = escapeHtml(content.name || getFirstPrompt(content) || 'Untitled session');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${await buildContentSecurityPolicy()}">
<meta name="generator" content="${PAGE_GENERATOR}"><meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${PAGE_STYLE}</style></head>
<body><nav><div class="tools"><input id="search" type="search" placeholder="Search  /" aria-label="Search"><button id="folds" type="button" title="Expand or collapse all" aria-label="Expand or collapse all">±</button><button id="theme" type="button" title="Toggle light or dark theme" aria-label="Toggle light or dark theme">◐</button></div>
<p id="count" role="status"></p>${renderBranchSelect(entryIndex, branches)}
${renderOutline(entryIndex, branches.current, (at) => metadata[at] as EntryMetadata)}</nav>
<main><h1>${title}</h1><p class="facts">${renderFacts(content)}</p>
${entryHtml.filter((html) => html !== undefined).join('\n')}
</main><script type="application/json" id="tree">${JSON.stringify(entryIndex.parentPositions)}</script>
<script>${PAGE_SCRIPT}</script></body></html>
`;
}

/** Entry ids come from the log and are not trusted. An unsafe or duplicate id is replaced by the position. */
function createEntryMetadata({ entries, findPosition }: EntryIndex): EntryMetadata[] {
  const labels = new Map<number, string>();
  for (const entry of entries) if (entry.type === 'label') labels.set(findPosition(entry.targetId), entry.label ?? '');
  const toolCallSummaries = new Map<string, string>();
  return entries.map((entry, position) => {
    const [message] = entryToMessages(entry);
    if (message?.role === 'assistant') {
      for (const block of message.content)
        if (block.type === 'toolCall') toolCallSummaries.set(block.id, summarizeToolCall(block));
    }
    const isSafeId = /^[\w-]{1,64}$/.test(entry.id) && findPosition(entry.id) === position;
    return {
      position,
      anchor: isSafeId ? `e-${entry.id}` : `n-${position}`,
      label: labels.get(position) || undefined,
      toolCallSummary: message?.role === 'toolResult' ? toolCallSummaries.get(message.toolCallId) : undefined,
    };
  });
}

function renderFacts({ header, stats, entries }: PageContent): string {
  const modelNames = entries
    .flatMap(entryToMessages)
    .flatMap((message) => (message.role === 'assistant' ? [message.model] : []));
  const models = [...new Set(modelNames)].filter((model) => model !== '');
  const sessionFacts = [escapeHtml(header.cwd), formatTime(header.timestamp), escapeHtml(header.id)];
  const usageFacts = [
    `${formatNumber(stats.totalMessages)} messages`,
    escapeHtml(models.join(', ')),
    formatUsage(stats.tokens, stats.cost),
  ];
  return [sessionFacts, usageFacts].map((line) => line.filter((fact) => fact !== '').join(' · ')).join('<br>');
}

function getFirstPrompt({ entries }: PageContent): string | undefined {
  const first = entries.flatMap(entryToMessages).find((message) => message.role === 'user');
  return first?.role === 'user' ? shortenLine(extractText(first.content), 100) : undefined;
}

/** Allows no requests, and only the page's own style and script. */
async function buildContentSecurityPolicy(): Promise<string> {
  const [style, script] = await Promise.all([PAGE_STYLE, PAGE_SCRIPT].map(hashSha256));
  return `default-src 'none'; img-src data:; style-src 'sha256-${style}'; script-src 'sha256-${script}'; base-uri 'none'; form-action 'none'`;
}

async function hashSha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
