// Renders an assistant message while it streams: thinking, text, and the tool call being written.

import { sanitizeLines } from '../../base/safe-text.ts';
import type { AgentEventOf, AssistantMessage } from '../../protocol/index.ts';
import { MarkdownRenderer } from '../markdown/markdown-renderer.ts';
import { type Line, line, wrapLine } from '../text/line.ts';
import { foldLines } from './fold-lines.ts';

type StreamEvent = AgentEventOf<'message_update'>['assistantMessageEvent'];

const MAX_THINKING_LINES = 3;

export class AssistantMessageView {
  #markdown: MarkdownRenderer | undefined;
  #thinking = '';
  #pendingToolName: string | undefined;
  /** The text of each content block so far. */
  readonly #received = new Map<number, string>();

  /** Returns the lines that this event finishes. */
  handleEvent(event: StreamEvent, width: number): Line[] {
    const text = 'delta' in event && event.type !== 'toolcall_delta' ? event.delta : '';
    this.#received.set(event.contentIndex, (this.#received.get(event.contentIndex) ?? '') + text);
    switch (event.type) {
      case 'text_delta':
        this.#markdown ??= new MarkdownRenderer();
        return this.#markdown.push(event.delta, width);
      case 'thinking_delta':
        this.#thinking += event.delta;
        return [];
      case 'toolcall_start':
        this.#pendingToolName = 'toolName' in event ? String(event.toolName) : 'a tool';
        return this.#endText(width);
      case 'thinking_end':
        return this.#endThinking(width);
      case 'text_end':
        return this.#endText(width);
      default:
        return [];
    }
  }

  /**
   * Continues with the part of the message that was not received as events. Returns the lines that it finishes, or `undefined` if
   * what was received belongs to another message.
   */
  catchUp({ content }: AssistantMessage, width: number): Line[] | undefined {
    const received = [...this.#received];
    if (received.some(([index, text]) => !getBlockText(content[index]).startsWith(text))) return undefined;
    const current = Math.max(-1, ...this.#received.keys());
    return content.flatMap((block, contentIndex) => {
      if (contentIndex < current || (contentIndex === current && block.type === 'toolCall')) return [];
      const delta = getBlockText(block).slice(this.#received.get(contentIndex)?.length ?? 0);
      const isOpen = contentIndex === content.length - 1;
      const events = toStreamEvents(block, delta, isOpen).map((event) => ({ ...event, contentIndex }) as StreamEvent);
      return events.flatMap((event) => this.handleEvent(event, width));
    });
  }

  renderLive(width: number): Line[] {
    const thinkingLines =
      this.#thinking === '' ? [] : foldLines(renderThinking(this.#thinking, width), MAX_THINKING_LINES, 'end').lines;
    const pendingCall =
      this.#pendingToolName === undefined ? [] : [line(`● ${this.#pendingToolName} …`, { dim: true })];
    return [...thinkingLines, ...(this.#markdown?.renderPending(width) ?? []), ...pendingCall];
  }

  end(width: number): Line[] {
    this.#pendingToolName = undefined;
    return [...this.#endThinking(width), ...this.#endText(width)];
  }

  #endText(width: number): Line[] {
    const lines = this.#markdown?.end(width) ?? [];
    this.#markdown = undefined;
    return lines;
  }

  #endThinking(width: number): Line[] {
    const thinking = this.#thinking;
    this.#thinking = '';
    return thinking.trim() === ''
      ? []
      : [...foldLines(renderThinking(thinking, width), MAX_THINKING_LINES, 'start').lines, []];
  }
}

type ContentBlock = AssistantMessage['content'][number];

/** Empty for blocks of which no text is shown. */
function getBlockText(block: ContentBlock | undefined): string {
  if (block?.type === 'text') return block.text;
  return block?.type === 'thinking' ? block.thinking : '';
}

function toStreamEvents(block: ContentBlock, delta: string, isOpen: boolean): object[] {
  if (block.type === 'toolCall') return [{ type: 'toolcall_start', toolName: block.name }];
  const kind = block.type === 'text' ? 'text' : 'thinking';
  return [{ type: `${kind}_delta`, delta }, ...(isOpen ? [] : [{ type: `${kind}_end` }])];
}

export function renderThinking(thinking: string, width: number): Line[] {
  return sanitizeLines(thinking.trim()).flatMap((text) => wrapLine(line(text, { dim: true, italic: true }), width));
}
