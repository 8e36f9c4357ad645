// The hall, terminal: choosing one of several. Arrows move, letters narrow the choice down, a number names one.

import { plainLines } from '../../base/plain.ts';
import type { Stroke } from '../input/keys.ts';
import { type Line, line, span, wrapped } from '../text/line.ts';
import type { Pane, PaneView } from './pane.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly doc?: string | undefined;
}

const MOVES: Readonly<Record<string, number>> = {
  up: -1,
  down: 1,
  'ctrl+p': -1,
  'ctrl+n': 1,
  tab: 1,
  'shift+tab': -1,
  pageup: -8,
  pagedown: 8,
};

export class SelectPane implements Pane {
  readonly hint = '↑↓ or number, Enter chooses, Esc dismisses';
  readonly #title: string;
  readonly #message: string;
  readonly #choices: readonly Choice[];
  #typed = '';
  #at: number;

  constructor(title: string, choices: readonly Choice[], { message = '', at = 0 } = {}) {
    this.#title = title;
    this.#message = message;
    this.#choices = choices;
    this.#at = at;
  }

  stroke(stroke: Stroke): string | undefined {
    const shown = this.#shown();
    if ('key' in stroke) {
      const by = MOVES[stroke.key];
      if (by !== undefined) this.#at = Math.max(0, Math.min(shown.length - 1, this.#at + by));
      if (stroke.key === 'backspace') this.#narrow(this.#typed.slice(0, -1));
      return stroke.key === 'enter' ? shown[this.#at]?.value : undefined;
    }
    this.#narrow(this.#typed + ('text' in stroke ? stroke.text : stroke.pasted.split('\n')[0]));
    return undefined;
  }

  view(width: number, height: number): PaneView {
    const shown = this.#shown();
    const head = wrapped(line(this.#title, { bold: true, colour: 'cyan' }), width);
    const most = Math.max(3, height - head.length - 2);
    const message = plainLines(this.#message).flatMap((text) => wrapped(line(text), width));
    const said = this.#message === '' ? [] : message.slice(0, Math.max(2, most - Math.min(shown.length, 4)));
    const room = Math.max(2, most - said.length);
    const first = Math.max(0, Math.min(this.#at - Math.floor(room / 2), shown.length - room));
    const rows = shown.slice(first, first + room).map((choice, at) => this.#row(choice, first + at));
    const none = shown.length === 0 ? [line(`  nothing fits “${this.#typed}”`, { dim: true })] : [];
    const typed = this.#typed === '' ? [] : [line(`  ${this.#typed}`, { underline: true })];
    return { rows: [...head, ...said, ...rows, ...none, ...typed] };
  }

  #row({ label, doc, value }: Choice, at: number): Line {
    const number = this.#choices.findIndex((choice) => choice.value === value) + 1;
    const isChosen = at === this.#at;
    const look = isChosen ? { bold: true, inverse: true } : {};
    return [
      span(isChosen ? '› ' : '  ', { colour: 'cyan' }),
      span(`${number}. ${label}`, look),
      span(doc ? `  ${doc}` : '', { dim: true }),
    ];
  }

  /** Numbers move to what they name; other words leave what has them. */
  #narrow(typed: string): void {
    this.#typed = typed;
    const number = /^\d+$/.test(typed) ? Number(typed) : 0;
    const named = this.#shown().findIndex((choice) => choice === this.#choices[number - 1]);
    this.#at = Math.max(0, named);
  }

  #shown(): readonly Choice[] {
    const words = this.#typed.trim().toLowerCase();
    const number = /^\d+$/.test(words) ? Number(words) : 0;
    if (words === '' || (number >= 1 && number <= this.#choices.length)) return this.#choices;
    return this.#choices.filter(({ label, doc = '' }) => `${label} ${doc}`.toLowerCase().includes(words));
  }
}

/** No is where the cursor stands: nothing should happen because somebody typed on. */
export function confirmPane(title: string, message: string): Pane {
  const choices = [
    { value: 'yes', label: 'Yes' },
    { value: 'no', label: 'No' },
  ];
  return new SelectPane(title, choices, { message, at: 1 });
}
