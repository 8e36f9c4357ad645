// Renders the system prompt and the tools that every request of the session starts with, folded.
import { isRecord } from '../../base/index.ts';
import { redact } from '../../base/redaction.ts';
import type { ToolDefinition } from '../../contracts/index.ts';
import type { SessionEntry } from '../../protocol/index.ts';
import { escapeHtml } from './escape.ts';
import { countLines, formatCount, shortenLine } from './format.ts';
import { renderDetails } from './html-blocks.ts';
import type { MarkupRenderers } from './markup-batch.ts';

export interface ExportedPrefix {
  readonly systemPrompt: string;
  /** Some files have only the names. */
  readonly tools: readonly (Pick<ToolDefinition, 'name'> & Partial<ToolDefinition>)[];
}

/** oh-my-pi stores the system prompt and the names of the tools of a subagent in its log. */
export function findStoredPrefix(entries: readonly SessionEntry[]): ExportedPrefix | undefined {
  for (const entry of entries as readonly { type: string; systemPrompt?: unknown; tools?: unknown }[]) {
    if (entry.type !== 'session_init' || typeof entry.systemPrompt !== 'string') continue;
    const names = Array.isArray(entry.tools) ? entry.tools : [];
    const tools = names.flatMap((name) => (typeof name === 'string' ? [{ name }] : []));
    return { systemPrompt: entry.systemPrompt, tools };
  }
  return undefined;
}

export function renderPrefix(
  prefix: ExportedPrefix | undefined,
  secrets: Iterable<string>,
  render: MarkupRenderers,
): string {
  if (!prefix) {
    const text =
      'The session file does not contain them. <code>export_html</code> and <code>/export</code> of the running session show them.';
    return renderPanel('System prompt and tools · not in this file', `<p class="missing">${text}</p>`);
  }
  const clean = (text: string) => redact(text, secrets);
  const systemPrompt = clean(prefix.systemPrompt);
  const lineCount = formatCount(countLines(systemPrompt), 'line');
  const tools = prefix.tools.map((tool) => renderTool(tool, clean, render)).join('');
  const title = `System prompt and tools · ${lineCount} · ${formatCount(prefix.tools.length, 'tool')}`;
  const prompt = `<pre class="output"><code>${escapeHtml(systemPrompt)}</code></pre>`;
  return renderPanel(title, `<h3>System prompt</h3>${prompt}<h3>Tools</h3>${tools || '<p class="missing">None.</p>'}`);
}

function renderPanel(title: string, body: string): string {
  return `<details class="panel"><summary><span class="fold">${escapeHtml(title)}</span></summary>${body}</details>`;
}

function renderTool(
  { name, description = '', parameters }: ExportedPrefix['tools'][number],
  clean: (text: string) => string,
  render: MarkupRenderers,
): string {
  const fields = parameters && isRecord(parameters.properties) ? Object.entries(parameters.properties) : undefined;
  const required = new Set(Array.isArray(parameters?.required) ? parameters.required : []);
  const rows = fields?.map(([key, field]) => renderParameter(key, field, required.has(key), clean)).join('');
  const schema = `<pre class="code"><code>${render.code(clean(JSON.stringify(parameters ?? {}, null, 2)), 'json')}</code></pre>`;
  const table = `<table><thead><tr><th>parameter</th><th>type</th><th>description</th></tr></thead><tbody>${rows}</tbody></table>`;
  const body =
    parameters === undefined
      ? ''
      : rows === undefined
        ? schema
        : rows === ''
          ? '<p class="missing">No parameters.</p>'
          : table;
  const text = clean(description);
  return renderDetails(clean(name), `<div class="prose">${render.markdown(text)}</div>${body}`, shortenLine(text, 120));
}

function renderParameter(key: string, field: unknown, isRequired: boolean, clean: (text: string) => string): string {
  const { type, description, enum: choices } = isRecord(field) ? field : {};
  const typeText = Array.isArray(choices) ? choices.map(String).join(' | ') : typeof type === 'string' ? type : 'any';
  const text = typeof description === 'string' ? description : '';
  const cells = [
    `<code>${escapeHtml(clean(key))}</code>`,
    escapeHtml(clean(typeText) + (isRequired ? '' : ', optional')),
    escapeHtml(clean(text)),
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}
