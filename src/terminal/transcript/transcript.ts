// Turns session events into lines: finished lines are printed once, unfinished ones are rendered live.

import { sanitizeLines } from '../../base/safe-text.ts';
import type { AgentEvent, AgentEventOf, AgentMessage, AssistantMessage } from '../../protocol/index.ts';
import { extractText } from '../../protocol/index.ts';
import { renderMarkdown } from '../markdown/markdown-renderer.ts';
import { EMPTY_LINE, type Line, line, type TextStyle, wrapLine } from '../text/line.ts';
import { AssistantMessageView } from './assistant-message-view.ts';
import { describeEvent } from './event-notices.ts';
import { renderHistory, renderStopReason, renderUserMessage } from './render-messages.ts';
import { RunningToolCalls } from './running-tool-calls.ts';

type NoticeLevel = AgentEventOf<'notice'>['level'];

const LEVEL_STYLES: Readonly<Record<NoticeLevel, TextStyle>> = {
  info: { dim: true },
  warning: { colour: 'yellow' },
  error: { colour: 'red' },
};

export class Transcript {
  readonly #print: (lines: readonly Line[]) => void;
  readonly #getWidth: () => number;
  readonly #toolCalls = new RunningToolCalls();
  #assistantMessage: AssistantMessageView | undefined;
  /** An answer that failed. It is printed when no retry follows, so that one failure gives one message. */
  #failure: AssistantMessage | undefined;
  /** Failed answers in a row. */
  #failureCount = 0;
  /** Avoids two blank lines in a row. */
  #isLastLineBlank = true;

  constructor(print: (lines: readonly Line[]) => void, getWidth: () => number) {
    this.#print = print;
    this.#getWidth = getWidth;
  }

  /** All lines of the last output that was printed in shortened form. */
  get lastFullOutput(): readonly Line[] | undefined {
    return this.#toolCalls.lastFullOutput;
  }

  renderLive(): Line[] {
    const width = this.#getWidth();
    return [...(this.#assistantMessage?.renderLive(width) ?? []), ...this.#toolCalls.renderLive(width)];
  }

  handleEvent(event: AgentEvent): void {
    const width = this.#getWidth();
    switch (event.type) {
      case 'message_start':
        if (event.message.role === 'assistant') this.#assistantMessage = new AssistantMessageView();
        return;
      case 'message_update':
        this.print(this.#assistantMessage?.handleEvent(event.assistantMessageEvent, width) ?? []);
        return;
      case 'message_end':
        this.#printMessage(event.message);
        return;
      case 'tool_execution_start':
        this.#toolCalls.start(event);
        return;
      case 'tool_execution_update':
        this.#toolCalls.update(event);
        return;
      case 'tool_execution_end':
        this.printBlock(this.#toolCalls.end(event, width));
        return;
      case 'agent_end':
        this.#toolCalls.clear();
        if (!event.willRetry) this.#printFailure();
        return;
      case 'agent_settled':
        // Also when the user stopped the agent while it waited for a retry.
        this.#printFailure();
        return;
      default: {
        const notice = describeEvent(event);
        if (notice) this.notify(notice.message, notice.level);
      }
    }
  }

  /** The result of this call is not printed: a notice says what happened. */
  omitCall(toolCallId: string): void {
    this.#toolCalls.omit(toolCallId);
  }

  /** Prints a notice of the terminal, an extension or the agent. */
  notify(message: string, noticeLevel: NoticeLevel = 'info'): void {
    const style = LEVEL_STYLES[noticeLevel];
    this.printBlock(sanitizeLines(message).flatMap((text) => wrapLine(line(text, style), this.#getWidth())));
  }

  printHistory(messages: readonly AgentMessage[]): void {
    this.printBlock(renderHistory(messages, this.#getWidth()));
  }

  /** Prints lines with a blank line before and after. */
  printBlock(lines: readonly Line[]): void {
    if (lines.length > 0) this.print([EMPTY_LINE, ...lines, EMPTY_LINE]);
  }

  print(lines: readonly Line[]): void {
    const visible = lines.filter((spans) => {
      const isBlank = spans.every(({ text }) => text.trim() === '');
      const repeats = isBlank && this.#isLastLineBlank;
      this.#isLastLineBlank = isBlank;
      return !repeats;
    });
    if (visible.length > 0) this.#print(visible);
  }

  #printMessage(message: AgentMessage): void {
    const width = this.#getWidth();
    if (message.role === 'user') this.printBlock(renderUserMessage(message.content, width));
    if (message.role === 'custom' && message.display)
      this.printBlock(renderMarkdown(extractText(message.content), width));
    if (message.role !== 'assistant') return;
    this.print([...(this.#assistantMessage?.end(width) ?? []), EMPTY_LINE]);
    this.#assistantMessage = undefined;
    const isFailure = message.stopReason === 'error';
    this.#failure = isFailure ? message : undefined;
    this.#failureCount = isFailure ? this.#failureCount + 1 : 0;
    if (!isFailure) this.printBlock(renderStopReason(message, width));
  }

  #printFailure(): void {
    const failure = this.#failure;
    if (!failure) return;
    this.printBlock(renderStopReason(failure, this.#getWidth(), this.#failureCount - 1));
    this.#failure = undefined;
    this.#failureCount = 0;
  }
}
