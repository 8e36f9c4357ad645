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

/** Lines of the title that always stay; further ones are the beginning of the message. */
const TITLE_LINES = 3;
/** Lines that the choices get beside a long message. */
const CHOICE_LINES = 4;

export class SelectPane implements Pane {
  readonly #title: string;
  readonly #message: string;
  readonly #choices: readonly Choice[];
  #typed = '';
  #at: number;
  /** Of a message that is longer than its place: which line is the first, how many are shown, how many were, how many there are. */
  #scroll = { top: 0, page: 0, seen: 0, total: 0 };

  constructor(title: string, choices: readonly Choice[], { message = '', at = 0 } = {}) {
    this.#title = title;
    this.#message = message;
    this.#choices = choices;
    this.#at = at;
  }

  get hint(): string {
    if (this.#isUnseen()) return 'Enter or PageDown shows more, Esc dismisses';
    return '↑↓ or number, Enter chooses, Esc dismisses';
  }

  stroke(stroke: Stroke): string | undefined {
    const shown = this.#shown();
    if ('key' in stroke) {
      if (this.#scrolls(stroke.key)) return undefined;
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
    const title = wrapped(line(this.#title, { bold: true, colour: 'cyan' }), width);
    const head = title.slice(0, TITLE_LINES);
    const most = Math.max(3, height - head.length - 2);
    const message = this.#message === '' ? [] : plainLines(this.#message).flatMap((text) => wrapped(line(text), width));
    const said = this.#part([...title.slice(TITLE_LINES), ...message], most - Math.min(shown.length, CHOICE_LINES));
    const rows = this.#choiceRows(shown, width, Math.max(2, most - said.length));
    const none = shown.length === 0 ? [line(`  nothing fits “${this.#typed}”`, { dim: true })] : [];
    const typed = this.#typed === '' ? [] : [line(`  ${this.#typed}`, { underline: true })];
    return { rows: [...head, ...said, ...rows, ...none, ...typed] };
  }

  /** As much of the message as there is room for, and where in it that is. */
  #part(lines: readonly Line[], room: number): readonly Line[] {
    const total = lines.length;
    const page = total <= Math.max(2, room) ? total : Math.max(1, room - 1);
    const top = Math.max(0, Math.min(this.#scroll.top, total - page));
    // Another width cuts the lines anew.
    const seen = total === this.#scroll.total ? this.#scroll.seen : 0;
    this.#scroll = { top, page, seen: Math.max(seen, top + page), total };
    const shown = lines.slice(top, top + page);
    if (page === total) return shown;
    return [...shown, line(`  lines ${top + 1} to ${top + page} of ${total}`, { colour: 'yellow' })];
  }

  /** What was not shown cannot be agreed to. */
  #isUnseen(): boolean {
    return this.#scroll.seen < this.#scroll.total;
  }

  /** Whether the key moves through a long message. */
  #scrolls(key: string): boolean {
    const { page, total, top } = this.#scroll;
    const isForward = key === 'pagedown' || (key === 'enter' && this.#isUnseen());
    if (page >= total || !(isForward || key === 'pageup')) return false;
    this.#scroll.top = top + (isForward ? page : -page);
    return true;
  }

  /** The chosen one with all of its words, the others on one line each. */
  #choiceRows(shown: readonly Choice[], width: number, room: number): Line[] {
    const chosen = shown[this.#at];
    const whole = chosen ? wrapped(this.#row(chosen, this.#at), width).slice(0, room) : [];
    const others = Math.max(1, room - whole.length + 1);
    const first = Math.max(0, Math.min(this.#at - Math.floor(others / 2), shown.length - others));
    return shown
      .slice(first, first + others)
      .flatMap((choice, at) => (first + at === this.#at ? whole : [this.#row(choice, first + at)]));
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
