// First floor, core: a whole session as one page that needs nothing else and lets nothing else in.
import type { RenderMarkup } from '../../contracts/index.ts';
import { type SessionEntry, type SessionHeader, type SessionStats, textOf } from '../../protocol/index.ts';
import { messageOf } from '../tree/context-path.ts';
import { type Lineage, lineageOf } from '../tree/lineage.ts';
import { purposeOf } from './answer-view.ts';
import { branchesOf, chooser, outline } from './branch-view.ts';
import { type Place, viewOf } from './entry-view.ts';
import { escapeHtml } from './escape.ts';
import { MarkupTexts } from './markup-texts.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';
import { count, opening, spent, time } from './words.ts';

export interface PageContent {
  header: SessionHeader;
  entries: readonly SessionEntry[];
  leafId: string | null;
  name: string | undefined;
  stats: Pick<SessionStats, 'tokens' | 'cost' | 'totalMessages'>;
}

/** By it an earlier export is known, which a later one may replace. */
export const PAGE_GENERATOR = 'Parley export';

export async function renderPage(content: PageContent, renderMarkup: RenderMarkup): Promise<string> {
  const lineage = lineageOf(content.entries);
  const places = placesOf(lineage);
  const branches = branchesOf(lineage, lineage.find(content.leafId));
  const markup = new MarkupTexts();
  const views = () => content.entries.map((entry, at) => viewOf(entry, places[at] as Place, markup));
  // The first time finds out which texts the page needs, the second time uses what became of them.
  views();
  await markup.renderAll(renderMarkup);
  const pieces = views();
  const title = escapeHtml(content.name || firstPrompt(content) || 'A conversation');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${await policy()}">
<meta name="generator" content="${PAGE_GENERATOR}"><meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head>
<body><nav><div class="tools"><input id="search" type="search" placeholder="Search  /" aria-label="Search"><button id="folds" type="button" title="Unfold or fold everything" aria-label="Unfold or fold everything">±</button><button id="theme" type="button" title="Light or dark" aria-label="Light or dark">◐</button></div>
<p id="count" role="status"></p>${chooser(lineage, branches)}
${outline(lineage, branches.current, (at) => places[at] as Place)}</nav>
<main><h1>${title}</h1><p class="facts">${facts(content)}</p>
${pieces.filter((piece) => piece !== undefined).join('\n')}
</main><script type="application/json" id="tree">${JSON.stringify(lineage.parents)}</script>
<script>${SCRIPT}</script></body></html>
`;
}

/** Ids come from the log, so they are not trusted either: one that is unusual, or comes twice, gets another. */
function placesOf({ entries, find }: Lineage): Place[] {
  const labels = new Map<number, string>();
  for (const entry of entries) if (entry.type === 'label') labels.set(find(entry.targetId), entry.label ?? '');
  const purposes = new Map<string, string>();
  return entries.map((entry, at) => {
    const [message] = messageOf(entry);
    if (message?.role === 'assistant') {
      for (const block of message.content) if (block.type === 'toolCall') purposes.set(block.id, purposeOf(block));
    }
    const isUsual = /^[\w-]{1,64}$/.test(entry.id) && find(entry.id) === at;
    return {
      at,
      anchor: isUsual ? `e-${entry.id}` : `n-${at}`,
      label: labels.get(at) || undefined,
      purpose: message?.role === 'toolResult' ? purposes.get(message.toolCallId) : undefined,
    };
  });
}

function facts({ header, stats, entries }: PageContent): string {
  const spoken = entries.flatMap(messageOf).flatMap((message) => (message.role === 'assistant' ? [message.model] : []));
  const models = [...new Set(spoken)].filter((model) => model !== '');
  const where = [escapeHtml(header.cwd), time(header.timestamp), escapeHtml(header.id)];
  const what = [
    `${count(stats.totalMessages)} messages`,
    escapeHtml(models.join(', ')),
    spent(stats.tokens, stats.cost),
  ];
  return [where, what].map((line) => line.filter((fact) => fact !== '').join(' · ')).join('<br>');
}

function firstPrompt({ entries }: PageContent): string | undefined {
  const first = entries.flatMap(messageOf).find((message) => message.role === 'user');
  return first?.role === 'user' ? opening(textOf(first.content), 100) : undefined;
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
