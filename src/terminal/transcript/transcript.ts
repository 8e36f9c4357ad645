// The hall, terminal: from the events of a session to what stands on the terminal: lines that are printed once, and lines that
// still change. Knows events and looks; no keys, no terminal.

import { plainLines } from '../../base/plain.ts';
import type { AgentEvent, AgentEventOf, AgentMessage } from '../../protocol/index.ts';
import { textOf } from '../../protocol/index.ts';
import { markdownLines } from '../markdown/view.ts';
import { EMPTY, type Line, type Look, line, wrapped } from '../text/line.ts';
import { Answer } from './answer.ts';
import { Calls } from './calls.ts';
import { happening } from './happenings.ts';
import { historyLines, saidLines, troubleLines } from './messages.ts';

type Level = AgentEventOf<'notice'>['level'];

const LEVELS: Readonly<Record<Level, Look>> = {
  info: { dim: true },
  warning: { colour: 'yellow' },
  error: { colour: 'red' },
};

export class Transcript {
  readonly #print: (lines: readonly Line[]) => void;
  readonly #width: () => number;
  readonly #calls = new Calls();
  #answer: Answer | undefined;
  /** Whether the last line printed was blank: two in a row are never wanted. */
  #isBlank = true;

  constructor(print: (lines: readonly Line[]) => void, width: () => number) {
    this.#print = print;
    this.#width = width;
  }

  /** The last output of which only a part was shown. */
  get whole(): readonly Line[] | undefined {
    return this.#calls.whole;
  }

  live(): Line[] {
    const width = this.#width();
    return [...(this.#answer?.live(width) ?? []), ...this.#calls.live(width)];
  }

  take(event: AgentEvent): void {
    const width = this.#width();
    switch (event.type) {
      case 'message_start':
        if (event.message.role === 'assistant') this.#answer = new Answer();
        return;
      case 'message_update':
        this.print(this.#answer?.take(event.assistantMessageEvent, width) ?? []);
        return;
      case 'message_end':
        this.#message(event.message);
        return;
      case 'tool_execution_start':
        this.#calls.start(event);
        return;
      case 'tool_execution_update':
        this.#calls.update(event);
        return;
      case 'tool_execution_end':
        this.part(this.#calls.end(event, width));
        return;
      case 'agent_end':
        this.#calls.clear();
        return;
      default: {
        const news = happening(event);
        if (news) this.say(news.message, news.level);
      }
    }
  }

  /** A sentence that is nobody's: ours, an extension's, the agent's. */
  say(message: string, level: Level = 'info'): void {
    const look = LEVELS[level];
    this.part(plainLines(message).flatMap((text) => wrapped(line(text, look), this.#width())));
  }

  history(messages: readonly AgentMessage[]): void {
    this.part(historyLines(messages, this.#width()));
  }

  /** Lines that belong together, with a blank one before and after. */
  part(lines: readonly Line[]): void {
    if (lines.length > 0) this.print([EMPTY, ...lines, EMPTY]);
  }

  print(lines: readonly Line[]): void {
    const wanted = lines.filter((spans) => {
      const isBlank = spans.every(({ text }) => text.trim() === '');
      const repeats = isBlank && this.#isBlank;
      this.#isBlank = isBlank;
      return !repeats;
    });
    if (wanted.length > 0) this.#print(wanted);
  }

  #message(message: AgentMessage): void {
    const width = this.#width();
    if (message.role === 'user') this.part(saidLines(message.content, width));
    if (message.role === 'custom' && message.display) this.part(markdownLines(textOf(message.content), width));
    if (message.role !== 'assistant') return;
    this.print([...(this.#answer?.end(width) ?? []), EMPTY]);
    this.#answer = undefined;
    this.part(troubleLines(message, width));
  }
}
