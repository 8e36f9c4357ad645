// Renders a session as one self-contained HTML page.
import type { RenderMarkup } from '../../contracts/index.ts';
import { extractText, type SessionEntry, type SessionHeader } from '../../protocol/index.ts';
import { countMessages } from '../tree/count-messages.ts';
import { escapeHtml } from './escape.ts';
import { formatNumber, formatTime, formatUsage, shortenLine } from './format.ts';
import type { SubagentTranscript } from './load-subagents.ts';
import { MarkupBatch } from './markup-batch.ts';
import { OVERVIEW_STYLE } from './overview-style.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';
import { findBranches, renderBranchSelect, renderOutline } from './render-branches.ts';
import { renderChart } from './render-chart.ts';
import { renderEntry } from './render-entry.ts';
import { type ExportedPrefix, findStoredPrefix, renderPrefix } from './render-prefix.ts';
import { renderTree } from './render-tree.ts';
import { createTranscript, type PageRenderers, type Transcript } from './transcript.ts';

export interface PageContent {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  readonly leafId: string | null;
  readonly name: string | undefined;
  readonly subagents: ReadonlyMap<string, SubagentTranscript>;
  /** The system prompt and the tools, if they are known. */
  readonly prefix: ExportedPrefix | undefined;
  /** Texts that are removed from the system prompt and the tools. */
  readonly secrets: Iterable<string>;
}

/** Identifies an earlier export, which a later export may overwrite. */
export const PAGE_GENERATOR = 'Parley export';

const STYLE = `${PAGE_STYLE}${OVERVIEW_STYLE}`;

export async function renderPage(content: PageContent, renderMarkup: RenderMarkup): Promise<string> {
  const { entries, subagents, secrets } = content;
  const transcript = createTranscript(entries, { subagents, hasAnchors: true });
  const { index } = transcript;
  const leaf = index.findPosition(content.leafId);
  const branches = findBranches(index, leaf);
  const markup = new MarkupBatch();
  const render: PageRenderers = {
    markdown: (text) => markup.markdown(text),
    code: (text, language) => markup.code(text, language),
    entry: (nested, position) => renderEntry(nested, position, render),
  };
  const prefix = content.prefix ?? findStoredPrefix(entries);
  const renderParts = () => ({
    prefixHtml: renderPrefix(prefix, secrets, render),
    entryHtml: entries.flatMap((_, position) => render.entry(transcript, position) ?? []),
  });
  // The first pass collects the markup, the second pass uses the rendered result.
  renderParts();
  await markup.renderAll(renderMarkup);
  const { prefixHtml, entryHtml } = renderParts();
  const title = escapeHtml(content.name || getFirstPrompt(transcript) || 'Untitled session');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${await buildContentSecurityPolicy()}">
<meta name="generator" content="${PAGE_GENERATOR}"><meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head>
<body><nav><div class="tools"><input id="search" type="search" placeholder="Search  /" aria-label="Search"><button id="folds" type="button" title="Expand or collapse all" aria-label="Expand or collapse all">±</button><button id="theme" type="button" title="Toggle light or dark theme" aria-label="Toggle light or dark theme">◐</button></div>
<p id="count" role="status"></p>${renderBranchSelect(transcript, branches)}
${renderOutline(transcript, branches.current)}</nav>
<main><h1>${title}</h1><p class="facts">${renderFacts(content, transcript)}</p>
<div id="overview">${prefixHtml}${renderChart(transcript)}${renderTree(transcript, leaf, branches.leaves.length)}</div>
${entryHtml.join('\n')}
</main><script type="application/json" id="tree">${JSON.stringify(index.parentPositions)}</script>
<script>${PAGE_SCRIPT}</script></body></html>
`;
}

function renderFacts({ header }: PageContent, { messages }: Transcript): string {
  const stats = countMessages(messages.filter((message) => message !== undefined));
  const models = new Set(messages.flatMap((message) => (message?.role === 'assistant' ? [message.model] : [])));
  const sessionFacts = [escapeHtml(header.cwd), formatTime(header.timestamp), escapeHtml(header.id)];
  const usageFacts = [
    `${formatNumber(stats.totalMessages)} messages`,
    escapeHtml([...models].filter((model) => model !== '').join(', ')),
    formatUsage(stats.tokens, stats.cost),
  ];
  return [sessionFacts, usageFacts].map((line) => line.filter((fact) => fact !== '').join(' · ')).join('<br>');
}

function getFirstPrompt({ messages }: Transcript): string | undefined {
  const first = messages.find((message) => message?.role === 'user');
  return first?.role === 'user' ? shortenLine(extractText(first.content), 100) : undefined;
}

/** Allows no requests, and only the page's own style and script. */
async function buildContentSecurityPolicy(): Promise<string> {
  const [style, script] = await Promise.all([STYLE, PAGE_SCRIPT].map(hashSha256));
  return `default-src 'none'; img-src data:; style-src 'sha256-${style}'; script-src 'sha256-${script}'; base-uri 'none'; form-action 'none'`;
}

async function hashSha256(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
