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
  const known = [...secrets].filter((secret) => !isOrdinaryWord(secret));
  const clean = (text: string) => redact(text, known);
  const systemPrompt = clean(prefix.systemPrompt);
  const lineCount = formatCount(countLines(systemPrompt), 'line');
  const tools = prefix.tools.map((tool) => renderTool(tool, clean, render)).join('');
  const title = `System prompt and tools · ${lineCount} · ${formatCount(prefix.tools.length, 'tool')}`;
  const prompt = `<pre class="output"><code>${escapeHtml(systemPrompt)}</code></pre>`;
  return renderPanel(title, `<h3>System prompt</h3>${prompt}<h3>Tools</h3>${tools || '<p class="missing">None.</p>'}`);
}

/** Local servers accept any key, so users choose words such as `none`, which are in every text. */
function isOrdinaryWord(secret: string): boolean {
  return /^[a-z]{1,7}$/i.test(secret);
}

function renderPanel(title: string, body: string): string {
  return `<details class="panel"><summary><span class="fold">${escapeHtml(title)}</span></summary>${body}</details>`;
}

type Clean = (text: string) => string;

function renderTool(
  { name, description = '', parameters }: ExportedPrefix['tools'][number],
  clean: Clean,
  render: MarkupRenderers,
): string {
  const text = clean(description);
  const body = `<div class="prose">${render.markdown(text)}</div>${parameters ? renderParameters(parameters, clean, render) : ''}`;
  return renderDetails(clean(name), body, shortenLine(text, 120));
}

/** A table, or the JSON Schema if it does not describe an object. */
function renderParameters(parameters: ToolDefinition['parameters'], clean: Clean, render: MarkupRenderers): string {
  if (!isRecord(parameters.properties)) {
    return `<pre class="code"><code>${render.code(clean(JSON.stringify(parameters, null, 2)), 'json')}</code></pre>`;
  }
  const required = new Set(Array.isArray(parameters.required) ? parameters.required : []);
  const rows = Object.entries(parameters.properties).map(([key, field]) =>
    describeParameter(key, field, required.has(key)),
  );
  if (rows.length === 0) return '<p class="missing">No parameters.</p>';
  // Most tools describe their parameters in the description of the tool.
  const columns = rows.some(([, , text]) => text !== '') ? ['parameter', 'type', 'description'] : ['parameter', 'type'];
  const head = columns.map((name) => `<th>${name}</th>`).join('');
  const body = rows.map((row) => {
    const cells = columns.map((_, at) => escapeHtml(clean(row[at] ?? '')));
    return `<tr>${cells.map((cell, at) => `<td>${at === 0 ? `<code>${cell}</code>` : cell}</td>`).join('')}</tr>`;
  });
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`;
}

function describeParameter(
  key: string,
  field: unknown,
  isRequired: boolean,
): [name: string, type: string, text: string] {
  const { type, description, enum: choices } = isRecord(field) ? field : {};
  const typeText = Array.isArray(choices) ? choices.map(String).join(' | ') : typeof type === 'string' ? type : 'any';
  return [key, `${typeText}${isRequired ? '' : ', optional'}`, typeof description === 'string' ? description : ''];
}
