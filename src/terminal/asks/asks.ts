// The hall, terminal: questions that are open, one shown at a time. Every one ends: answered, dismissed, or too late.
import type { Question } from '../../client/index.ts';
import type { Cancel, Clock } from '../../contracts/index.ts';
import type { UiAnswer } from '../../protocol/index.ts';
import type { Stroke } from '../input/keys.ts';
import { EMPTY, type Line, line } from '../text/line.ts';
import { InputPane } from './input.ts';
import type { Pane, PaneView } from './pane.ts';
import { confirmPane, SelectPane } from './select.ts';

/** Whoever was typing when a question came up meant something else; the question waits until the keys rest. */
export const REST_MS = 400;

interface Open {
  /** What the program calls it, when one asks. */
  readonly id: string | undefined;
  readonly pane: Pane;
  readonly until: number | undefined;
  close(answer: string | undefined): void;
}

export class Asks {
  readonly #clock: Clock;
  readonly #restMs: number;
  readonly #changed: () => void;
  readonly #open: Open[] = [];
  #lastStroke = Number.NEGATIVE_INFINITY;
  #isArmed = true;
  #cancelRest: Cancel = () => {};

  constructor(clock: Clock, restMs: number, changed: () => void) {
    this.#clock = clock;
    this.#restMs = restMs;
    this.#changed = changed;
  }

  get current(): Pane | undefined {
    return this.#open[0]?.pane;
  }

  /** What a program asks. */
  async question(question: Question): Promise<UiAnswer | undefined> {
    const { method, title } = question;
    const timeout = 'timeout' in question ? question.timeout : undefined;
    if (method === 'confirm') {
      const said = await this.open(confirmPane(title, question.message), question.id, timeout);
      return said === undefined ? undefined : { confirmed: said === 'yes' };
    }
    const value = await this.open(paneFor(question), question.id, timeout);
    return value === undefined ? undefined : { value };
  }

  /** What the person asked for with the last key needs no rest. */
  choose(pane: Pane): Promise<string | undefined> {
    this.#lastStroke = Number.NEGATIVE_INFINITY;
    return this.open(pane);
  }

  /** The answer; `undefined` when it was dismissed or came too late. */
  open(pane: Pane, id?: string, timeout?: number): Promise<string | undefined> {
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const open: Open = {
        id,
        pane,
        until: timeout ? this.#clock.now() + timeout : undefined,
        close: (answer) => {
          cancel();
          const at = this.#open.indexOf(open);
          if (at >= 0) this.#open.splice(at, 1);
          if (at === 0) this.#arm();
          this.#changed();
          resolve(answer);
        },
      };
      this.#open.push(open);
      if (timeout) cancel = this.#clock.after(timeout, () => open.close(undefined));
      if (this.#open.length === 1) this.#arm();
      this.#changed();
    });
  }

  /** Told of every key, also of those that are for somebody else. Returns whether it was for the open question. */
  stroke(stroke: Stroke): boolean {
    this.#lastStroke = this.#clock.now();
    const open = this.#open[0];
    if (!open) return false;
    const dismisses = 'key' in stroke && (stroke.key === 'escape' || stroke.key === 'ctrl+c');
    if (dismisses) open.close(undefined);
    else if (!this.#isArmed) {
      this.#arm();
      // Whoever types on goes on with the draft; only what would end it waits.
      return 'key' in stroke && stroke.key === 'enter';
    } else {
      const answer = open.pane.stroke(stroke);
      if (answer !== undefined) open.close(answer);
    }
    return true;
  }

  /** Nobody waits for the answer any more. */
  withdraw(id: string): void {
    this.#open.find((open) => open.id === id)?.close(undefined);
  }

  dismissAll(): void {
    for (const open of [...this.#open]) open.close(undefined);
  }

  view(width: number, height: number): PaneView | undefined {
    const open = this.#open[0];
    if (!open) return undefined;
    const { rows, cursor } = open.pane.view(width, height);
    return { rows: [EMPTY, ...rows, this.#hint(open)], cursor: cursor && { ...cursor, row: cursor.row + 1 } };
  }

  #hint({ pane, until }: Open): Line {
    const left = until === undefined ? [] : [`${Math.max(0, Math.ceil((until - this.#clock.now()) / 1000))} s left`];
    const more = this.#open.length > 1 ? [`${this.#open.length - 1} more`] : [];
    return line([this.#isArmed ? pane.hint : 'one moment…', ...left, ...more].join(' · '), { dim: true });
  }

  #arm(): void {
    this.#cancelRest();
    const wait = this.#lastStroke + this.#restMs - this.#clock.now();
    this.#isArmed = wait <= 0;
    if (this.#isArmed) return;
    this.#cancelRest = this.#clock.after(wait, () => {
      this.#arm();
      this.#changed();
    });
  }
}

function paneFor(question: Exclude<Question, { method: 'confirm' }>): Pane {
  if (question.method === 'input') return new InputPane(question.title, { placeholder: question.placeholder });
  if (question.method === 'editor')
    return new InputPane(question.title, { prefill: question.prefill, manyLines: true });
  const choices = question.options.map((label) => ({ value: label, label }));
  return new SelectPane(question.title, choices, { message: question.message });
}
