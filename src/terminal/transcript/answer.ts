// The hall, terminal: an answer of the model while it is written: thoughts, text, and the calls that it is about to make.

import { plainLines } from '../../base/plain.ts';
import type { AgentEventOf } from '../../protocol/index.ts';
import { MarkdownView } from '../markdown/view.ts';
import { type Line, line, wrapped } from '../text/line.ts';
import { fold } from './folding.ts';

type StreamEvent = AgentEventOf<'message_update'>['assistantMessageEvent'];

const THOUGHT_LINES = 3;

export class Answer {
  #text: MarkdownView | undefined;
  #thought = '';
  #calling: string | undefined;

  /** The lines that are finished by this. */
  take(event: StreamEvent, width: number): Line[] {
    switch (event.type) {
      case 'text_delta':
        this.#text ??= new MarkdownView();
        return this.#text.push(event.delta, width);
      case 'thinking_delta':
        this.#thought += event.delta;
        return [];
      case 'toolcall_start':
        this.#calling = 'toolName' in event ? String(event.toolName) : 'a tool';
        return this.#endText(width);
      case 'thinking_end':
        return this.#endThought(width);
      case 'text_end':
        return this.#endText(width);
      default:
        return [];
    }
  }

  live(width: number): Line[] {
    const thought = this.#thought === '' ? [] : fold(thoughtLines(this.#thought, width), THOUGHT_LINES, 'end').lines;
    const calling = this.#calling === undefined ? [] : [line(`● ${this.#calling} …`, { dim: true })];
    return [...thought, ...(this.#text?.tail(width) ?? []), ...calling];
  }

  end(width: number): Line[] {
    this.#calling = undefined;
    return [...this.#endThought(width), ...this.#endText(width)];
  }

  #endText(width: number): Line[] {
    const lines = this.#text?.end(width) ?? [];
    this.#text = undefined;
    return lines;
  }

  #endThought(width: number): Line[] {
    const thought = this.#thought;
    this.#thought = '';
    return thought.trim() === '' ? [] : [...fold(thoughtLines(thought, width), THOUGHT_LINES, 'start').lines, []];
  }
}

export function thoughtLines(thought: string, width: number): Line[] {
  return plainLines(thought.trim()).flatMap((text) => wrapped(line(text, { dim: true, italic: true }), width));
}
