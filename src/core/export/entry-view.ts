// First floor, core: one entry of the log as a piece of the page. Every field passes through escaping.
import { type AgentMessage, type ImageContent, type SessionEntry, textOf } from '../../protocol/index.ts';
import { dataImage, escapeHtml, safeLink } from './escape.ts';
import type { Renderers } from './markdown.ts';

type Content = string | readonly ({ type: 'text'; text: string } | ImageContent)[];

/** `undefined` for entries that only the program reads. */
export function viewOf(entry: SessionEntry, render: Renderers): string | undefined {
  switch (entry.type) {
    case 'message':
      return messageView(entry, entry.message, render);
    case 'custom_message':
      return box(entry, 'custom', entry.customType, contentView(entry.content as Content, render));
    case 'compaction': {
      const label = `Summary of what came before (${entry.tokensBefore} tokens)`;
      return box(entry, 'summary', 'Compaction', folded(label, render.markdown(entry.summary)));
    }
    case 'branch_summary':
      return box(entry, 'summary', 'Branch', folded('Summary of another branch', render.markdown(entry.summary)));
    case 'model_change':
      return line(entry, `Model: ${entry.provider}/${entry.modelId}`);
    case 'thinking_level_change':
      return line(entry, `Thinking: ${entry.thinkingLevel}`);
    case 'session_info':
      return entry.name ? line(entry, `Name: ${entry.name}`) : undefined;
    case 'label':
      return entry.label ? line(entry, `Label: ${entry.label}`) : undefined;
    default:
      return undefined;
  }
}

function messageView(entry: SessionEntry, message: AgentMessage, render: Renderers): string {
  switch (message.role) {
    case 'user':
      return box(entry, 'user', 'You', contentView(message.content, render));
    case 'assistant':
      return box(entry, 'assistant', message.model, answerView(message, render));
    case 'toolResult': {
      const body = `${textBlock(textOf(message.content))}${images(message.content)}${diffView(message.details)}`;
      const title = `${message.toolName} ${message.isError ? 'failed' : 'answered'}`;
      return box(entry, message.isError ? 'result failed' : 'result', title, foldedLong(body, textOf(message.content)));
    }
    case 'bashExecution': {
      const state = message.cancelled ? 'cancelled' : `exit code ${message.exitCode ?? '?'}`;
      const body = `<pre class="code"><code>$ ${render.code(message.command, 'bash')}</code></pre>${textBlock(message.output)}`;
      return box(entry, 'result', `Command (${state})`, foldedLong(body, message.output));
    }
    case 'custom':
      return box(entry, 'custom', message.customType, contentView(message.content, render));
    default:
      return box(entry, 'summary', message.role, folded('Summary', render.markdown(message.summary)));
  }
}

function answerView(message: Extract<AgentMessage, { role: 'assistant' }>, render: Renderers): string {
  const blocks = message.content.map((block) => {
    if (block.type === 'text') return `<div class="prose">${render.markdown(block.text)}</div>`;
    if (block.type === 'thinking') {
      return folded('Thinking', textBlock(block.redacted ? '(hidden by the provider)' : block.thinking));
    }
    const args = JSON.stringify(block.arguments, null, 2);
    return `<div class="call"><span class="tool">${escapeHtml(block.name)}</span>${folded(callSummary(block.arguments), `<pre class="code"><code>${render.code(args, 'json')}</code></pre>`)}</div>`;
  });
  if (message.errorMessage) blocks.push(`<p class="problem">${escapeHtml(message.errorMessage)}</p>`);
  const { usage } = message;
  const total = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  const cost = usage.cost.total > 0 ? ` · $${usage.cost.total.toFixed(4)}` : '';
  if (total > 0)
    blocks.push(`<p class="usage">${usage.input} in · ${usage.output} out · ${usage.cacheRead} cached${cost}</p>`);
  return blocks.join('\n');
}

function callSummary(args: Record<string, unknown>): string {
  const first = Object.values(args).find((value) => typeof value === 'string') as string | undefined;
  return first ? first.split('\n', 1)[0]?.slice(0, 120) || 'arguments' : 'arguments';
}

function contentView(content: Content, render: Renderers): string {
  if (typeof content === 'string') return `<div class="prose">${render.markdown(content)}</div>`;
  return `<div class="prose">${render.markdown(textOf(content))}</div>${images(content)}`;
}

function images(content: Content): string {
  if (typeof content === 'string') return '';
  return content
    .map((block) => {
      if (block.type !== 'image') return '';
      if ('source' in block) {
        const link = safeLink(block.source.url);
        const words = escapeHtml(block.source.url);
        return link
          ? `<p><a href="${escapeHtml(link)}" rel="noopener noreferrer nofollow">${words}</a></p>`
          : `<p>${words}</p>`;
      }
      const source = dataImage(block.mimeType, block.data);
      return source ? `<img class="picture" alt="image" src="${source}">` : '<p>(an image of an unknown kind)</p>';
    })
    .join('');
}

function diffView(details: unknown): string {
  const diff = (details as { diff?: unknown } | undefined)?.diff;
  if (typeof diff !== 'string') return '';
  const lines = diff.split('\n').map((text) => {
    const kind = text.startsWith('+') ? 'added' : text.startsWith('-') ? 'removed' : 'same';
    return `<span class="${kind}">${escapeHtml(text)}</span>`;
  });
  return `<pre class="diff"><code>${lines.join('\n')}</code></pre>`;
}

function box(entry: SessionEntry, kind: string, title: string, body: string): string {
  const time = `<time>${escapeHtml(entry.timestamp)}</time>`;
  return `<article class="${kind}" id="${anchor(entry)}"><header><h2>${escapeHtml(title)}</h2>${time}</header>${body}</article>`;
}

function line(entry: SessionEntry, text: string): string {
  return `<p class="change" id="${anchor(entry)}">${escapeHtml(text)}</p>`;
}

/** Ids come from the log, so they are not trusted either. */
export function anchor(entry: { id: string }): string {
  return `e-${encodeURIComponent(entry.id).replace(/[^\w-]/g, '_')}`;
}

function folded(title: string, body: string): string {
  return `<details><summary>${escapeHtml(title)}</summary>${body}</details>`;
}

/** Short output stands open, long output is folded under its first line. */
function foldedLong(body: string, text: string): string {
  const lines = text.trimEnd().split('\n');
  return lines.length <= 12 ? body : folded(`${lines.length} lines: ${(lines[0] ?? '').slice(0, 100)}`, body);
}

function textBlock(text: string): string {
  return text === '' ? '' : `<pre class="output"><code>${escapeHtml(text)}</code></pre>`;
}
