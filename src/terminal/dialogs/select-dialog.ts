// Dialog that selects one of several choices. Arrow keys move, a number selects. Letters filter, or answer if the choices have keys.

import { sanitizeLines } from '../../base/safe-text.ts';
import type { KeyInput } from '../input/key-decoder.ts';
import { type Line, line, span, wrapLine } from '../text/line.ts';
import type { Dialog, RenderedRows } from './dialog.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly doc?: string | undefined;
  /** A letter that answers at once. If a choice has one, letters do not filter. */
  readonly key?: string | undefined;
  /** The answer that changes nothing. It is accepted before all of the body was shown. */
  readonly isRefusal?: boolean | undefined;
}

export interface SelectDialogOptions {
  readonly message?: string | undefined;
  /** Shown between the title and the choices. Its lines must fit the width. Default: `message`. */
  renderBody?(width: number): readonly Line[];
  /** Receives the whole body when the user wants to see it at once. */
  showAll?(body: readonly Line[]): void;
  /** The index of the choice that is selected first. */
  readonly at?: number;
  /** What Esc does. */
  readonly escapeHint?: string;
}

const SELECTION_STEPS: Readonly<Record<string, number>> = {
  up: -1,
  down: 1,
  'ctrl+p': -1,
  'ctrl+n': 1,
  tab: 1,
  'shift+tab': -1,
  pageup: -8,
  pagedown: 8,
};

/** Title lines that do not scroll; further lines are shown as the start of the message. */
const MAX_TITLE_LINES = 3;
/** Lines reserved for choices when the message is long. */
const MIN_CHOICE_LINES = 4;

export class SelectDialog implements Dialog {
  readonly #title: string;
  readonly #choices: readonly Choice[];
  readonly #options: SelectDialogOptions;
  #filter = '';
  #selected: number;
  /** Scroll state of a long message in lines: first visible, visible, seen so far, total. */
  #scroll = { top: 0, page: 0, seen: 0, total: 0 };
  /** All lines of the body for the last width, including title lines that scroll. */
  #body: readonly Line[] = [];

  constructor(title: string, choices: readonly Choice[], options: SelectDialogOptions = {}) {
    this.#title = title;
    this.#choices = choices;
    this.#options = options;
    this.#selected = options.at ?? 0;
  }

  get hint(): string {
    const { escapeHint = 'Esc to dismiss', showAll } = this.#options;
    if (this.#hasUnseenLines()) return `Enter or PageDown for more, ${showAll ? 'Ctrl+O for all, ' : ''}${escapeHint}`;
    const keys = this.#choices.flatMap(({ key = [] }) => key);
    if (keys.length > 0) return `↑↓ and Enter, or ${keys.join('/')}, to answer; ${escapeHint}`;
    return `↑↓ or a number to select, Enter to confirm, ${escapeHint}`;
  }

  handleKey(keyInput: KeyInput): string | undefined {
    const shown = this.#filteredChoices();
    if ('key' in keyInput) {
      if (this.#scrollByKey(keyInput.key) || this.#showAllByKey(keyInput.key)) return undefined;
      const by = SELECTION_STEPS[keyInput.key];
      if (by !== undefined) this.#selected = Math.max(0, Math.min(shown.length - 1, this.#selected + by));
      if (keyInput.key === 'backspace') this.#setFilter(this.#filter.slice(0, -1));
      return keyInput.key === 'enter' ? shown[this.#selected]?.value : undefined;
    }
    if (this.#choices.some(({ key }) => key)) return 'text' in keyInput ? this.#answerByText(keyInput.text) : undefined;
    this.#setFilter(this.#filter + ('text' in keyInput ? keyInput.text : keyInput.pasted.split('\n')[0]));
    return undefined;
  }

  render(width: number, height: number): RenderedRows {
    const shown = this.#filteredChoices();
    const title = wrapLine(line(this.#title, { bold: true, colour: 'cyan' }), width);
    const head = title.slice(0, MAX_TITLE_LINES);
    const available = Math.max(3, height - head.length - 2);
    this.#body = [...title.slice(MAX_TITLE_LINES), ...this.#renderBody(width)];
    const messageRows = this.#renderMessage(this.#body, available - Math.min(shown.length, MIN_CHOICE_LINES));
    const rows = this.#renderChoices(shown, width, Math.max(2, available - messageRows.length));
    const none = shown.length === 0 ? [line(`  no match for “${this.#filter}”`, { dim: true })] : [];
    const typed = this.#filter === '' ? [] : [line(`  ${this.#filter}`, { underline: true })];
    return { rows: [...head, ...messageRows, ...rows, ...none, ...typed] };
  }

  #renderBody(width: number): readonly Line[] {
    const { message = '', renderBody } = this.#options;
    if (renderBody) return renderBody(width);
    return message === '' ? [] : sanitizeLines(message).flatMap((text) => wrapLine(line(text), width));
  }

  /** A key, a label or a number. Scrolls instead until all lines were shown, except for a refusal. */
  #answerByText(text: string): string | undefined {
    const typed = text.trim().toLowerCase();
    const choice = this.#choices.find(
      ({ key, label }, at) => typed === key || typed === label.toLowerCase() || typed === String(at + 1),
    );
    if (!choice?.isRefusal && this.#scrollByKey('enter')) return undefined;
    return choice?.value;
  }

  #showAllByKey(key: string): boolean {
    const { showAll } = this.#options;
    if (key !== 'ctrl+o' || !showAll) return false;
    showAll(this.#body);
    this.#scroll.seen = this.#scroll.total;
    return true;
  }

  /** Renders the visible part of the message, and its position when the message is longer. */
  #renderMessage(lines: readonly Line[], available: number): readonly Line[] {
    const total = lines.length;
    const page = total <= Math.max(2, available) ? total : Math.max(1, available - 1);
    const top = Math.max(0, Math.min(this.#scroll.top, total - page));
    // A new width wraps the lines differently, so the count of seen lines is reset.
    const seen = total === this.#scroll.total ? this.#scroll.seen : 0;
    this.#scroll = { top, page, seen: Math.max(seen, top + page), total };
    const shown = lines.slice(top, top + page);
    if (page === total) return shown;
    return [...shown, line(`  lines ${top + 1} to ${top + page} of ${total}`, { colour: 'yellow' })];
  }

  /** Enter scrolls instead of confirming until all lines were shown. */
  #hasUnseenLines(): boolean {
    return this.#scroll.seen < this.#scroll.total;
  }

  /** Scrolls a long message. Returns whether the key was used. */
  #scrollByKey(key: string): boolean {
    const { page, total, top } = this.#scroll;
    const isForward = key === 'pagedown' || (key === 'enter' && this.#hasUnseenLines());
    if (page >= total || !(isForward || key === 'pageup')) return false;
    this.#scroll.top = top + (isForward ? page : -page);
    return true;
  }

  /** The selected choice is wrapped in full; the others get one line each. */
  #renderChoices(shown: readonly Choice[], width: number, available: number): Line[] {
    const selected = shown[this.#selected];
    const selectedRows = selected
      ? wrapLine(this.#renderChoice(selected, this.#selected), width).slice(0, available)
      : [];
    const maxChoices = Math.max(1, available - selectedRows.length + 1);
    const first = Math.max(0, Math.min(this.#selected - Math.floor(maxChoices / 2), shown.length - maxChoices));
    return shown
      .slice(first, first + maxChoices)
      .flatMap((choice, at) =>
        first + at === this.#selected ? selectedRows : [this.#renderChoice(choice, first + at)],
      );
  }

  #renderChoice({ label, doc, value }: Choice, at: number): Line {
    const number = this.#choices.findIndex((choice) => choice.value === value) + 1;
    const isSelected = at === this.#selected;
    const style = isSelected ? { bold: true, inverse: true } : {};
    return [
      span(isSelected ? '› ' : '  ', { colour: 'cyan' }),
      span(`${number}. ${label}`, style),
      span(doc ? `  ${doc}` : '', { dim: true }),
    ];
  }

  /** A number selects that choice; other text filters the choices. */
  #setFilter(typed: string): void {
    this.#filter = typed;
    const number = /^\d+$/.test(typed) ? Number(typed) : 0;
    const matchIndex = this.#filteredChoices().findIndex((choice) => choice === this.#choices[number - 1]);
    this.#selected = Math.max(0, matchIndex);
  }

  #filteredChoices(): readonly Choice[] {
    const query = this.#filter.trim().toLowerCase();
    const number = /^\d+$/.test(query) ? Number(query) : 0;
    if (query === '' || (number >= 1 && number <= this.#choices.length)) return this.#choices;
    return this.#choices.filter(({ label, doc = '' }) => `${label} ${doc}`.toLowerCase().includes(query));
  }
}

/** “No” is selected first, so that a key typed by accident does not confirm. */
export function createConfirmDialog(title: string, message: string): Dialog {
  const choices = [
    { value: 'yes', label: 'Yes', key: 'y' },
    { value: 'no', label: 'No', key: 'n', isRefusal: true },
  ];
  return new SelectDialog(title, choices, { message, at: 1 });
}
