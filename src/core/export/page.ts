// First floor, core: a whole session as one page that needs nothing else and lets nothing else in.
import type { SessionEntry, SessionHeader, SessionStats } from '../../protocol/index.ts';
import { pathTo, treeOf } from '../tree/branching.ts';
import { leavesOf, outline } from './branch-view.ts';
import { anchor, viewOf } from './entry-view.ts';
import { escapeHtml } from './escape.ts';
import { SCRIPT, STYLE } from './look.ts';
import { createRenderers } from './markdown.ts';

export interface PageContent {
  header: SessionHeader;
  entries: readonly SessionEntry[];
  leafId: string | null;
  name: string | undefined;
  stats: Pick<SessionStats, 'tokens' | 'cost' | 'totalMessages'>;
  /** The current line of conversation only. */
  branchOnly?: boolean;
}

export async function renderPage(content: PageContent): Promise<string> {
  const byId = new Map(content.entries.map((entry) => [entry.id, entry]));
  const current = pathTo(byId, content.leafId);
  const entries = content.branchOnly ? current : content.entries;
  const tree = treeOf(entries);
  const render = await createRenderers();
  const lines = linesOf(byId, leavesOf(tree), content.leafId);
  const body = entries.map((entry) => viewOf(entry, render)).filter((view) => view !== undefined);
  const title = escapeHtml(content.name ?? firstLine(content) ?? 'A conversation');
  const here = new Set(current.map((entry) => entry.id));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${await policy()}">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head>
<body><nav><div class="tools"><input id="search" type="search" placeholder="Search" aria-label="Search"><button id="theme" type="button" aria-label="Light or dark">◐</button></div>
${chooser(lines, byId)}${outline(tree, here)}</nav>
<main><h1>${title}</h1><p class="facts">${facts(content)}</p>
${body.join('\n')}
</main><script type="application/json" id="lines">${inScript(lines.map((line) => line.map((entry) => anchor(entry))))}</script>
<script>${SCRIPT}</script></body></html>
`;
}

/** The current line first; it is what a reader without scripts sees first, too. */
function linesOf(byId: ReadonlyMap<string, SessionEntry>, leaves: string[], leafId: string | null): SessionEntry[][] {
  const ordered = [...leaves].sort((a, b) => Number(b === leafId) - Number(a === leafId));
  const ends = leafId !== null && !ordered.includes(leafId) ? [leafId, ...ordered] : ordered;
  return ends.map((id) => pathTo(byId, id));
}

function chooser(lines: readonly SessionEntry[][], byId: ReadonlyMap<string, SessionEntry>): string {
  if (lines.length < 2) return '';
  const options = lines.map((line, index) => {
    const end = byId.get(line.at(-1)?.id ?? '');
    const name = index === 0 ? 'Current branch' : `Branch ${index + 1}`;
    return `<option value="${index}">${name} (${escapeHtml(end?.timestamp ?? '')})</option>`;
  });
  return `<div class="tools"><select id="branch" aria-label="Branch">${options.join('')}</select></div>`;
}

function facts({ header, stats }: PageContent): string {
  const { tokens, cost } = stats;
  const money = cost > 0 ? ` · $${cost.toFixed(4)}` : '';
  const counts = `${stats.totalMessages} messages · ${tokens.input} tokens in, ${tokens.output} out, ${tokens.cacheRead} cached${money}`;
  return `${escapeHtml(header.cwd)} · ${escapeHtml(header.timestamp)} · ${escapeHtml(header.id)}<br>${counts}`;
}

function firstLine({ entries }: PageContent): string | undefined {
  const first = entries.find((entry) => entry.type === 'message' && entry.message.role === 'user');
  if (first?.type !== 'message' || first.message.role !== 'user') return undefined;
  const { content } = first.message;
  const text =
    typeof content === 'string' ? content : content.map((block) => (block.type === 'text' ? block.text : '')).join(' ');
  return text.trim().split('\n', 1)[0]?.slice(0, 100);
}

/** JSON that cannot end the script it stands in. */
function inScript(value: unknown): string {
  return JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}

/** Nothing may be fetched; exactly our own style and script may act. */
async function policy(): Promise<string> {
  const [style, script] = await Promise.all([STYLE, SCRIPT].map(digest));
  return `default-src 'none'; img-src data:; style-src 'sha256-${style}'; script-src 'sha256-${script}'; base-uri 'none'; form-action 'none'`;
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
