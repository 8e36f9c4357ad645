// Renders the diff of a tool result, with the number of added and removed lines. Pure.
import { escapeHtml } from './escape.ts';
import { renderDetails } from './html-blocks.ts';

/** Longer diffs are collapsed. */
const MAX_OPEN_LINES = 40;

/** Empty if the details of the result have no diff. `subject` is the file. */
export function renderDiff(details: unknown, subject: string): string {
  const diff = (details as { diff?: unknown } | null | undefined)?.diff;
  if (typeof diff !== 'string' || diff === '') return '';
  const counts = { added: 0, removed: 0, same: 0 };
  const lines = diff.split('\n').map((text) => {
    const kind = text.startsWith('+') ? 'added' : text.startsWith('-') ? 'removed' : 'same';
    counts[kind]++;
    return `<span class="${kind}">${escapeHtml(text)}</span>`;
  });
  const body = `<pre class="diff"><code>${lines.join('\n')}</code></pre>`;
  const title = `diff +${counts.added} −${counts.removed}`;
  if (lines.length > MAX_OPEN_LINES) return renderDetails(subject === '' ? title : `${title} · ${subject}`, body);
  return `<p class="part">${title}</p>${body}`;
}
