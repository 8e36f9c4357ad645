// Renders one log entry as HTML. Every field is escaped.
import type { AgentMessage, SessionEntry } from '../../protocol/index.ts';
import { entryToMessages } from '../tree/context-path.ts';
import { escapeHtml } from './escape.ts';
import { formatNumber, formatTime } from './format.ts';
import { renderContent, renderDetails } from './html-blocks.ts';
import type { MarkupRenderers } from './markup-batch.ts';
import { renderAssistantBody, renderBashBody, renderToolResultBody } from './render-message-body.ts';

/** Data about an entry that comes from other entries. */
export interface EntryMetadata {
  /** The HTML id. */
  readonly anchor: string;
  /** Its position in the log. */
  readonly position: number;
  readonly label: string | undefined;
  /** Short description of the tool call, if this entry is its result. */
  readonly toolCallSummary: string | undefined;
}

interface RenderedMessage {
  kind: string;
  title: string;
  hasFailed?: boolean;
  body: string;
}

/** `undefined` for entries that are not shown. */
export function renderEntry(entry: SessionEntry, metadata: EntryMetadata, render: MarkupRenderers): string | undefined {
  try {
    const [message] = entryToMessages(entry);
    const rendered = message ? renderMessage(message, metadata, render) : undefined;
    if (rendered) return renderArticle(entry, metadata, rendered);
    const changeText = describeChange(entry);
    return changeText === undefined ? undefined : renderChangeLine(metadata, changeText);
  } catch {
    // An invalid entry must not prevent the export of the others.
    return renderChangeLine(metadata, 'Entry cannot be displayed');
  }
}

function renderMessage(message: AgentMessage, metadata: EntryMetadata, render: MarkupRenderers): RenderedMessage {
  switch (message.role) {
    case 'user':
      return {
        kind: 'user',
        title: 'You',
        body: `${renderContent(message.content, render)}${renderAttachments(message)}`,
      };
    case 'assistant':
      return { kind: 'assistant', title: message.model || 'Assistant', body: renderAssistantBody(message, render) };
    case 'toolResult': {
      const kind = message.isError ? 'result failed' : 'result';
      const title = `${message.toolName} ${metadata.toolCallSummary ?? ''}`;
      return { kind, title, hasFailed: message.isError, body: renderToolResultBody(message) };
    }
    case 'bashExecution':
      return { kind: 'result', title: 'Shell command', body: renderBashBody(message, render) };
    case 'custom':
      return { kind: 'custom', title: message.customType, body: renderContent(message.content, render) };
    case 'compactionSummary': {
      const label = `Summary of earlier messages, ${formatNumber(Number(message.tokensBefore) || 0)} tokens`;
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

function renderProse(text: string, render: MarkupRenderers): string {
  return `<div class="prose">${render.markdown(text)}</div>`;
}

function describeChange(entry: SessionEntry): string | undefined {
  if (entry.type === 'model_change') return `Model: ${entry.provider}/${entry.modelId}`;
  if (entry.type === 'thinking_level_change') return `Thinking: ${entry.thinkingLevel}`;
  if (entry.type === 'session_info' && entry.name) return `Name: ${entry.name}`;
  return undefined;
}

function renderArticle(
  entry: SessionEntry,
  { anchor, position, label }: EntryMetadata,
  { kind, title, hasFailed, body }: RenderedMessage,
): string {
  const outcome = hasFailed ? ' <span class="failure">failed</span>' : '';
  const badge = `${outcome}${label ? ` <mark>${escapeHtml(label)}</mark>` : ''}`;
  const header = `<header><h2>${escapeHtml(title)}${badge}</h2><a href="#${anchor}">${formatTime(entry.timestamp)}</a></header>`;
  return `<article class="${kind}" id="${anchor}" data-at="${position}">${header}${body}</article>`;
}

function renderChangeLine({ anchor, position }: EntryMetadata, text: string): string {
  return `<p class="change" id="${anchor}" data-at="${position}">${escapeHtml(text)}</p>`;
}
