// Turns session events into lines: finished lines are printed once, unfinished ones are rendered live.

import { sanitizeLines } from '../../base/safe-text.ts';
import type { ClientEvent } from '../../client/index.ts';
import type { AgentEventOf, AgentMessage, AssistantMessage, SessionSnapshot } from '../../protocol/index.ts';
import { extractText } from '../../protocol/index.ts';
import { renderMarkdown } from '../markdown/markdown-renderer.ts';
import { EMPTY_LINE, type Line, line, type TextStyle, wrapLine } from '../text/line.ts';
import { AssistantMessageView } from './assistant-message-view.ts';
import { describeEvent } from './event-notices.ts';
import { renderHistory, renderStopReason, renderUserMessage } from './render-messages.ts';
import { RunningToolCalls } from './running-tool-calls.ts';
import { ShownMessages } from './shown-messages.ts';

type NoticeLevel = AgentEventOf<'notice'>['level'];

const LEVEL_STYLES: Readonly<Record<NoticeLevel, TextStyle>> = {
  info: { dim: true },
  warning: { colour: 'yellow' },
  error: { colour: 'red' },
};

/** Older messages are not printed when a session is shown. */
const MAX_HISTORY_MESSAGES = 40;

export class Transcript {
  readonly #print: (lines: readonly Line[]) => void;
  readonly #getWidth: () => number;
  readonly #toolCalls = new RunningToolCalls();
  readonly #shownMessages = new ShownMessages();
  readonly #isOtherClient: (name: string | undefined) => boolean;
  #assistantMessage: AssistantMessageView | undefined;
  /** An answer that failed. It is printed when no retry follows, so that one failure gives one message. */
  #failure: AssistantMessage | undefined;
  /** Failed answers in a row. */
  #failureCount = 0;
  /** Avoids two blank lines in a row. */
  #isLastLineBlank = true;

  constructor(
    print: (lines: readonly Line[]) => void,
    getWidth: () => number,
    isOtherClient: (name: string | undefined) => boolean = () => false,
  ) {
    this.#print = print;
    this.#getWidth = getWidth;
    this.#isOtherClient = isOtherClient;
  }

  /** All lines of the last output that was printed in shortened form. */
  get lastFullOutput(): readonly Line[] | undefined {
    return this.#toolCalls.lastFullOutput;
  }

  renderLive(): Line[] {
    const width = this.#getWidth();
    return [...(this.#assistantMessage?.renderLive(width) ?? []), ...this.#toolCalls.renderLive(width)];
  }

  handleEvent(event: ClientEvent): void {
    const width = this.#getWidth();
    switch (event.type) {
      case 'message_start':
        if (event.message.role === 'assistant') this.#assistantMessage = new AssistantMessageView();
        return;
      case 'message_update':
        this.print(this.#assistantMessage?.handleEvent(event.assistantMessageEvent, width) ?? []);
        return;
      case 'message_end':
        this.#printMessage(event.message, this.#isOtherClient(event.client) ? event.client : undefined);
        return;
      case 'tool_execution_start':
        this.#toolCalls.start(event);
        return;
      case 'tool_execution_update':
        this.#toolCalls.update(event);
        return;
      case 'tool_execution_end':
        this.#shownMessages.addToolResult(event.toolCallId);
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

  /** Prints the newest messages. `total` counts the ones before `messages` too. */
  printHistory(messages: readonly AgentMessage[], total = messages.length): void {
    const printed = messages.slice(-MAX_HISTORY_MESSAGES);
    const earlier = total - printed.length;
    if (earlier > 0)
      this.notify(`… ${earlier} earlier messages are not shown; /export writes all of them to an HTML page`);
    for (const message of printed) this.#shownMessages.add(message);
    this.printBlock(renderHistory(printed, this.#getWidth()));
  }

  /** Another session follows. What is unfinished of the previous one is printed as it is. */
  startSession(): void {
    this.print(this.#assistantMessage?.end(this.#getWidth()) ?? []);
    this.#assistantMessage = undefined;
    this.#toolCalls.clear();
    this.#shownMessages.clear();
    this.#failure = undefined;
    this.#failureCount = 0;
  }

  /** Continues with a snapshot: prints what is new in it. The unfinished answer goes on where it was. */
  showSnapshot({ messages, totalMessages, openMessage, runningTools }: SessionSnapshot): void {
    const missed = this.#finishOpenMessage(this.#shownMessages.findMissed(messages), openMessage);
    if (missed) this.printHistory(missed, messages.length === missed.length ? totalMessages : missed.length);
    else {
      this.notify('Some messages were missed while there was no connection.', 'warning');
      this.printHistory(messages, totalMessages);
    }
    this.#toolCalls.restore(runningTools);
    if (!openMessage || this.#assistantMessage) return;
    this.#assistantMessage = new AssistantMessageView();
    this.print(this.#assistantMessage.catchUp(openMessage, this.#getWidth()) ?? []);
  }

  /** Prints the rest of the answer that was being received. Returns the messages without it. */
  #finishOpenMessage(
    missed: readonly AgentMessage[] | undefined,
    openMessage: AssistantMessage | null,
  ): readonly AgentMessage[] | undefined {
    const view = this.#assistantMessage;
    if (!view) return missed;
    const width = this.#getWidth();
    const next = missed?.find((message) => message.role === 'assistant');
    const finished = next?.role === 'assistant' ? view.catchUp(next, width) : undefined;
    if (next && finished) {
      this.print(finished);
      this.#printMessage(next);
      return missed?.filter((message) => message !== next);
    }
    const lines = openMessage && !next ? view.catchUp(openMessage, width) : undefined;
    this.print(lines ?? view.end(width));
    if (!lines) this.#assistantMessage = undefined;
    return missed;
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

  /** `client`: the name of another client that has sent the message. */
  #printMessage(message: AgentMessage, client?: string): void {
    const width = this.#getWidth();
    this.#shownMessages.add(message);
    const mark = client === undefined ? undefined : `${client} › `;
    if (message.role === 'user') this.printBlock(renderUserMessage(message.content, width, mark));
    if (message.role === 'custom' && message.display)
      this.printBlock(renderMarkdown(extractText(message.content), width));
    if (message.role !== 'assistant') return;
    // Without a view, the client came while the answer was being received.
    const body = this.#assistantMessage?.end(width) ?? renderMarkdown(extractText(message.content), width);
    this.print([...body, EMPTY_LINE]);
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
