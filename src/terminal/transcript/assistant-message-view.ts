// Renders an assistant message while it streams: thinking, text, and the tool call being written.

import { sanitizeLines } from '../../base/safe-text.ts';
import type { AgentEventOf } from '../../protocol/index.ts';
import { MarkdownRenderer } from '../markdown/markdown-renderer.ts';
import { type Line, line, wrapLine } from '../text/line.ts';
import { foldLines } from './fold-lines.ts';

type StreamEvent = AgentEventOf<'message_update'>['assistantMessageEvent'];

const MAX_THINKING_LINES = 3;

export class AssistantMessageView {
  #markdown: MarkdownRenderer | undefined;
  #thinking = '';
  #pendingToolName: string | undefined;

  /** Returns the lines that this event finishes. */
  handleEvent(event: StreamEvent, width: number): Line[] {
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

export function renderThinking(thinking: string, width: number): Line[] {
  return sanitizeLines(thinking.trim()).flatMap((text) => wrapLine(line(text, { dim: true, italic: true }), width));
}
