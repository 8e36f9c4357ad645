// Renders the bodies of assistant messages and shell executions as HTML.
import type { AgentMessage } from '../../protocol/index.ts';
import { describeCall } from './describe-call.ts';
import { escapeHtml } from './escape.ts';
import { countLines, formatCount, formatUsage, shortenLine } from './format.ts';
import { renderDetails, renderOutput } from './html-blocks.ts';
import { createCardRenderer, renderCard } from './render-card.ts';
import type { PageRenderers, Transcript } from './transcript.ts';

type Role<R extends AgentMessage['role']> = Extract<AgentMessage, { role: R }>;

export function renderAssistantBody(
  transcript: Transcript,
  position: number,
  message: Role<'assistant'>,
  render: PageRenderers,
): string {
  const renderToolCall = createCardRenderer(transcript, position, message, render);
  const blocks = message.content.map((block) => {
    if (block.type === 'text') return `<div class="prose">${render.markdown(block.text)}</div>`;
    if (block.type === 'toolCall') return renderToolCall(block);
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

function renderThinking(text: string, render: PageRenderers): string {
  const body = `<div class="prose thought">${render.markdown(text)}</div>`;
  return renderDetails(`Thinking · ${formatCount(countLines(text.trim()), 'line')}`, body, shortenLine(text, 100));
}

const STOP_TEXTS = new Map<string, string>([
  ['length', 'The answer reached its length limit.'],
  ['aborted', 'The answer was aborted.'],
  ['error', 'The model request failed.'],
]);

export function renderBashBody(message: Role<'bashExecution'>, render: PageRenderers): string {
  const description = describeCall({ arguments: { command: message.command } });
  const command = description.isComplete
    ? ''
    : `<pre class="code"><code>$ ${render.code(message.command, 'bash')}</code></pre>`;
  const state = message.cancelled ? 'cancelled' : `exit code ${message.exitCode ?? 'unknown'}`;
  const hidden = message.excludeFromContext ? ', not shown to the model' : '';
  const output = renderOutput(
    message.output,
    (lineCount) => `${lineCount} of output · ${shortenLine(description.subject, 60)}`,
  );
  const status = message.cancelled ? 'aborted' : message.exitCode === 0 ? 'ok' : 'error';
  const body = `${command}${output}<p class="usage">${escapeHtml(state + hidden)}</p>`;
  return renderCard({ tool: '$', description, status, duration: undefined }, body);
}
