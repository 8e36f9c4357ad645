// Renders one log entry as HTML. Every field is escaped.
import type { AgentMessage, SessionEntry } from '../../protocol/index.ts';
import { escapeHtml } from './escape.ts';
import { formatNumber, formatTime } from './format.ts';
import { renderContent, renderDetails, renderProse } from './html-blocks.ts';
import { renderLoneResult } from './render-card.ts';
import { renderAssistantBody, renderBashBody } from './render-message-body.ts';
import type { PageRenderers, Transcript } from './transcript.ts';

interface RenderedMessage {
  kind: string;
  title: string;
  body: string;
}

/** `undefined` for entries that are not shown, and for results that are part of the card of their call. */
export function renderEntry(transcript: Transcript, position: number, render: PageRenderers): string | undefined {
  if (transcript.results.isMatched(position)) return undefined;
  try {
    const message = transcript.messages[position];
    const rendered = message ? renderMessage(transcript, position, message, render) : undefined;
    if (rendered) return renderArticle(transcript, position, rendered);
    const changeText = describeChange(transcript.index.entries[position] as SessionEntry);
    return changeText === undefined ? undefined : renderChangeLine(transcript, position, changeText);
  } catch {
    // An invalid entry must not prevent the export of the others.
    return renderChangeLine(transcript, position, 'Entry cannot be displayed');
  }
}

function renderMessage(
  transcript: Transcript,
  position: number,
  message: AgentMessage,
  render: PageRenderers,
): RenderedMessage {
  switch (message.role) {
    case 'user': {
      const title = transcript.anchors ? 'You' : 'Task';
      return { kind: 'user', title, body: `${renderContent(message.content, render)}${renderAttachments(message)}` };
    }
    case 'assistant': {
      const body = renderAssistantBody(transcript, position, message, render);
      return { kind: 'assistant', title: message.model || 'Assistant', body };
    }
    case 'toolResult':
      return { kind: 'result', title: 'Tool result', body: renderLoneResult(transcript, message, render) };
    case 'bashExecution':
      return { kind: 'result', title: 'Shell command', body: renderBashBody(message, render) };
    case 'custom':
      return { kind: 'custom', title: message.customType, body: renderContent(message.content, render) };
    case 'compactionSummary': {
      const label = `Summary of earlier messages · ${formatNumber(Number(message.tokensBefore) || 0)} tokens before`;
      return { kind: 'summary', title: 'Compaction', body: renderDetails(label, renderProse(message.summary, render)) };
    }
    case 'branchSummary': {
      const body = renderDetails('Summary of another branch', renderProse(message.summary, render));
      return { kind: 'summary', title: 'Branch', body };
    }
  }
}

/** File names only. */
function renderAttachments({ attachments }: Extract<AgentMessage, { role: 'user' }>): string {
  if (!Array.isArray(attachments) || attachments.length === 0) return '';
  const names = attachments.map((file) => escapeHtml(file?.fileName) || '(unnamed file)');
  return `<p class="files">Attachments: ${names.join(', ')}</p>`;
}

function describeChange(entry: SessionEntry): string | undefined {
  if (entry.type === 'model_change') return `Model: ${entry.provider}/${entry.modelId}`;
  if (entry.type === 'thinking_level_change') return `Thinking: ${entry.thinkingLevel}`;
  if (entry.type === 'session_info' && entry.name) return `Name: ${entry.name}`;
  return undefined;
}

function renderArticle(transcript: Transcript, position: number, { kind, title, body }: RenderedMessage): string {
  const label = transcript.labels.get(position);
  const badge = label ? ` <mark>${escapeHtml(label)}</mark>` : '';
  const anchor = transcript.anchors?.[position];
  const time = formatTime(transcript.index.entries[position]?.timestamp);
  // The entries of a subagent have no links, because only the entries of the page have unique ids.
  if (anchor === undefined)
    return `<section class="${kind}"><header><h3>${escapeHtml(title)}${badge}</h3>${time}</header>${body}</section>`;
  const header = `<header><h2>${escapeHtml(title)}${badge}</h2><a href="#${anchor}">${time}</a></header>`;
  return `<article class="${kind}" id="${anchor}" data-at="${position}">${header}${body}</article>`;
}

function renderChangeLine({ anchors }: Transcript, position: number, text: string): string {
  const anchor = anchors?.[position];
  const attributes = anchor === undefined ? '' : ` id="${anchor}" data-at="${position}"`;
  return `<p class="change"${attributes}>${escapeHtml(text)}</p>`;
}
