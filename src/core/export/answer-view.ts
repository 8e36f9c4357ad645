// First floor, core: answers of the model and what tools and commands gave back, as pieces of the page.
import type { AgentMessage, ToolCall } from '../../protocol/index.ts';
import { textOf } from '../../protocol/index.ts';
import { folded, foldedLong, images, textBlock } from './blocks.ts';
import { escapeHtml } from './escape.ts';
import type { Renderers } from './markup-texts.ts';
import { opening, spent } from './words.ts';

type Role<R extends AgentMessage['role']> = Extract<AgentMessage, { role: R }>;

export function answerView(message: Role<'assistant'>, render: Renderers): string {
  const blocks = message.content.map((block) => {
    if (block.type === 'text') return `<div class="prose">${render.markdown(block.text)}</div>`;
    if (block.type === 'toolCall') return callView(block, render);
    return thoughtView(block.redacted ? '(hidden by the provider)' : block.thinking, render);
  });
  const stopped = STOPPED.get(message.stopReason);
  if (message.errorMessage || stopped) {
    blocks.push(`<p class="problem">${escapeHtml(message.errorMessage || stopped)}</p>`);
  }
  const line = spent(message.usage, message.usage.cost.total);
  if (line !== '') blocks.push(`<p class="usage">${line}</p>`);
  return blocks.join('\n');
}

function thoughtView(text: string, render: Renderers): string {
  return folded('Thinking', `<div class="prose thought">${render.markdown(text)}</div>`);
}

const STOPPED = new Map<string, string>([
  ['length', 'The answer reached its length limit.'],
  ['aborted', 'The answer was stopped.'],
  ['error', 'The model failed.'],
]);

function callView(call: ToolCall, render: Renderers): string {
  const args = JSON.stringify(call.arguments, null, 2);
  const body = `<pre class="code"><code>${render.code(args, 'json')}</code></pre>`;
  return `<div class="call"><span class="tool">${escapeHtml(call.name)}</span>${folded(purposeOf(call) || 'arguments', body)}</div>`;
}

/** What the call is about: the first of its arguments that is a text. Not escaped. */
export function purposeOf({ arguments: given }: ToolCall): string {
  const first = Object.values(given).find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof first === 'string' ? opening(first.trimStart().split('\n', 1)[0] ?? '', 120) : '';
}

export function resultView(message: Role<'toolResult'>): string {
  const text = textOf(message.content);
  const diff = diffView(message.details);
  // The change itself says more than the words about it.
  if (diff !== '') return `${diff}${folded('Output', textBlock(text))}${images(message.content)}`;
  return foldedLong(`${textBlock(text)}${images(message.content)}`, text);
}

export function bashView(message: Role<'bashExecution'>, render: Renderers): string {
  const command = `<pre class="code"><code>$ ${render.code(message.command, 'bash')}</code></pre>`;
  const state = message.cancelled ? 'cancelled' : `exit code ${message.exitCode ?? 'unknown'}`;
  const hidden = message.excludeFromContext ? ', not shown to the model' : '';
  const output = foldedLong(textBlock(message.output), message.output);
  return `${command}${output}<p class="usage">${escapeHtml(state + hidden)}</p>`;
}

function diffView(details: unknown): string {
  const diff = (details as { diff?: unknown } | null | undefined)?.diff;
  if (typeof diff !== 'string' || diff === '') return '';
  const lines = diff.split('\n').map((text) => {
    const kind = text.startsWith('+') ? 'added' : text.startsWith('-') ? 'removed' : 'same';
    return `<span class="${kind}">${escapeHtml(text)}</span>`;
  });
  return `<pre class="diff"><code>${lines.join('\n')}</code></pre>`;
}
