// First floor, core: one entry of the log as a piece of the page. Every field passes through escaping.
import type { AgentMessage, SessionEntry } from '../../protocol/index.ts';
import { messageOf } from '../tree/context-path.ts';
import { answerView, bashView, resultView } from './answer-view.ts';
import { contentView, folded } from './blocks.ts';
import { escapeHtml } from './escape.ts';
import type { Renderers } from './markup-texts.ts';
import { count, time } from './words.ts';

/** What is said about an entry elsewhere. */
export interface Place {
  /** The id of its piece of the page. */
  readonly anchor: string;
  /** Its position in the log. */
  readonly at: number;
  readonly label: string | undefined;
  /** What the tool call was about that this entry answers. */
  readonly purpose: string | undefined;
}

interface Piece {
  kind: string;
  title: string;
  /** Something went wrong. */
  failed?: boolean;
  body: string;
}

/** `undefined` for entries that only the program reads. */
export function viewOf(entry: SessionEntry, place: Place, render: Renderers): string | undefined {
  try {
    const [message] = messageOf(entry);
    const piece = message ? messageView(message, place, render) : undefined;
    if (piece) return box(entry, place, piece);
    const change = changeOf(entry);
    return change === undefined ? undefined : line(place, change);
  } catch {
    // Whatever somebody put into a log: the rest of the page is worth reading.
    return line(place, 'An entry that cannot be shown');
  }
}

function messageView(message: AgentMessage, place: Place, render: Renderers): Piece {
  switch (message.role) {
    case 'user':
      return { kind: 'user', title: 'You', body: `${contentView(message.content, render)}${filesView(message)}` };
    case 'assistant':
      return { kind: 'assistant', title: message.model || 'Assistant', body: answerView(message, render) };
    case 'toolResult': {
      const kind = message.isError ? 'result failed' : 'result';
      const title = `${message.toolName} ${place.purpose ?? ''}`;
      return { kind, title, failed: message.isError, body: resultView(message) };
    }
    case 'bashExecution':
      return { kind: 'result', title: 'Your command', body: bashView(message, render) };
    case 'custom':
      return { kind: 'custom', title: message.customType, body: contentView(message.content, render) };
    case 'compactionSummary': {
      const label = `What came before, ${count(Number(message.tokensBefore) || 0)} tokens, as a summary`;
      return { kind: 'summary', title: 'Compaction', body: folded(label, prose(message.summary, render)) };
    }
    case 'branchSummary': {
      const body = folded('What happened on another branch', prose(message.summary, render));
      return { kind: 'summary', title: 'Branch', body };
    }
  }
}

/** Files that were sent along, by name. */
function filesView({ attachments }: Extract<AgentMessage, { role: 'user' }>): string {
  if (!Array.isArray(attachments) || attachments.length === 0) return '';
  const names = attachments.map((file) => escapeHtml(file?.fileName) || '(a file without a name)');
  return `<p class="files">Sent along: ${names.join(', ')}</p>`;
}

function prose(text: string, render: Renderers): string {
  return `<div class="prose">${render.markdown(text)}</div>`;
}

function changeOf(entry: SessionEntry): string | undefined {
  if (entry.type === 'model_change') return `Model: ${entry.provider}/${entry.modelId}`;
  if (entry.type === 'thinking_level_change') return `Thinking: ${entry.thinkingLevel}`;
  if (entry.type === 'session_info' && entry.name) return `Name: ${entry.name}`;
  return undefined;
}

function box(entry: SessionEntry, { anchor, at, label }: Place, { kind, title, failed, body }: Piece): string {
  const outcome = failed ? ' <span class="failure">failed</span>' : '';
  const badge = `${outcome}${label ? ` <mark>${escapeHtml(label)}</mark>` : ''}`;
  const header = `<header><h2>${escapeHtml(title)}${badge}</h2><a href="#${anchor}">${time(entry.timestamp)}</a></header>`;
  return `<article class="${kind}" id="${anchor}" data-at="${at}">${header}${body}</article>`;
}

function line({ anchor, at }: Place, text: string): string {
  return `<p class="change" id="${anchor}" data-at="${at}">${escapeHtml(text)}</p>`;
}
