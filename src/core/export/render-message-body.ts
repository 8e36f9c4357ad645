// Renders the bodies of assistant messages, tool results and shell executions as HTML.
import type { AgentMessage, ToolCall } from '../../protocol/index.ts';
import { extractText } from '../../protocol/index.ts';
import { escapeHtml } from './escape.ts';
import { formatUsage, shortenLine } from './format.ts';
import { renderDetails, renderDetailsIfLong, renderImages, renderTextBlock } from './html-blocks.ts';
import type { MarkupRenderers } from './markup-batch.ts';

type Role<R extends AgentMessage['role']> = Extract<AgentMessage, { role: R }>;

export function renderAssistantBody(message: Role<'assistant'>, render: MarkupRenderers): string {
  const blocks = message.content.map((block) => {
    if (block.type === 'text') return `<div class="prose">${render.markdown(block.text)}</div>`;
    if (block.type === 'toolCall') return renderToolCall(block, render);
    return renderThinking(block.redacted ? '(redacted by the provider)' : block.thinking, render);
  });
  const stopText = STOP_TEXTS.get(message.stopReason);
  if (message.errorMessage || stopText) {
    blocks.push(`<p class="problem">${escapeHtml(message.errorMessage || stopText)}</p>`);
  }
  const usageLine = formatUsage(message.usage, message.usage.cost.total);
  if (usageLine !== '') blocks.push(`<p class="usage">${usageLine}</p>`);
  return blocks.join('\n');
}

function renderThinking(text: string, render: MarkupRenderers): string {
  return renderDetails('Thinking', `<div class="prose thought">${render.markdown(text)}</div>`);
}

const STOP_TEXTS = new Map<string, string>([
  ['length', 'The answer reached its length limit.'],
  ['aborted', 'The answer was aborted.'],
  ['error', 'The model request failed.'],
]);

function renderToolCall(call: ToolCall, render: MarkupRenderers): string {
  const args = JSON.stringify(call.arguments, null, 2);
  const body = `<pre class="code"><code>${render.code(args, 'json')}</code></pre>`;
  return `<div class="call"><span class="tool">${escapeHtml(call.name)}</span>${renderDetails(summarizeToolCall(call) || 'arguments', body)}</div>`;
}

/** The first argument that is a non-empty string. Not escaped. */
export function summarizeToolCall({ arguments: args }: ToolCall): string {
  const first = Object.values(args).find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof first === 'string' ? shortenLine(first.trimStart().split('\n', 1)[0] ?? '', 120) : '';
}

export function renderToolResultBody(message: Role<'toolResult'>): string {
  const text = extractText(message.content);
  const diff = renderDiff(message.details);
  // The diff is more useful than the text output, so the output is collapsed.
  if (diff !== '') return `${diff}${renderDetails('Output', renderTextBlock(text))}${renderImages(message.content)}`;
  return renderDetailsIfLong(`${renderTextBlock(text)}${renderImages(message.content)}`, text);
}

export function renderBashBody(message: Role<'bashExecution'>, render: MarkupRenderers): string {
  const command = `<pre class="code"><code>$ ${render.code(message.command, 'bash')}</code></pre>`;
  const state = message.cancelled ? 'cancelled' : `exit code ${message.exitCode ?? 'unknown'}`;
  const hidden = message.excludeFromContext ? ', not shown to the model' : '';
  const output = renderDetailsIfLong(renderTextBlock(message.output), message.output);
  return `${command}${output}<p class="usage">${escapeHtml(state + hidden)}</p>`;
}

function renderDiff(details: unknown): string {
  const diff = (details as { diff?: unknown } | null | undefined)?.diff;
  if (typeof diff !== 'string' || diff === '') return '';
  const lines = diff.split('\n').map((text) => {
    const kind = text.startsWith('+') ? 'added' : text.startsWith('-') ? 'removed' : 'same';
    return `<span class="${kind}">${escapeHtml(text)}</span>`;
  });
  return `<pre class="diff"><code>${lines.join('\n')}</code></pre>`;
}
