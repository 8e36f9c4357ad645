// Dialog that selects one of many choices by typing a part of its name. Shows columns.
import { scoreMatch } from '../input/fuzzy-match.ts';
import type { KeyInput } from '../input/key-decoder.ts';
import { type Line, line, span, truncateLine } from '../text/line.ts';
import { measureWidth } from '../text/text-width.ts';
import type { Dialog, RenderedRows } from './dialog.ts';

export interface SearchChoice {
  readonly value: string;
  /** The first column is searched and emphasized. */
  readonly columns: readonly string[];
}

const STEPS: Readonly<Record<string, number>> = {
  up: -1,
  'ctrl+p': -1,
  down: 1,
  'ctrl+n': 1,
  tab: 1,
  'shift+tab': -1,
  pageup: -8,
  pagedown: 8,
};
const COLUMN_GAP = 2;
/** Title, query and counter. */
const OTHER_ROWS = 3;

export class SearchDialog implements Dialog {
  readonly hint = 'type to filter, ↑↓ to select, Enter to confirm, Esc to dismiss';
  readonly #title: string;
  readonly #choices: readonly SearchChoice[];
  #query = '';
  #selected: number;

  constructor(title: string, choices: readonly SearchChoice[], selectedValue?: string) {
    this.#title = title;
    this.#choices = choices;
    this.#selected = Math.max(
      0,
      choices.findIndex(({ value }) => value === selectedValue),
    );
  }

  handleKey(keyInput: KeyInput): string | undefined {
    if (!('key' in keyInput)) {
      this.#setQuery(this.#query + ('text' in keyInput ? keyInput.text : keyInput.pasted.split('\n')[0]));
      return undefined;
    }
    const { key } = keyInput;
    const matches = this.#findMatches();
    const step = STEPS[key];
    if (step !== undefined) this.#selected = Math.max(0, Math.min(matches.length - 1, this.#selected + step));
    else if (key === 'backspace') this.#setQuery(Array.from(this.#query).slice(0, -1).join(''));
    else if (key === 'ctrl+u') this.#setQuery('');
    return key === 'enter' ? matches[this.#selected]?.value : undefined;
  }

  render(width: number, height: number): RenderedRows {
    const matches = this.#findMatches();
    const count = Math.max(1, height - OTHER_ROWS);
    const first = Math.max(0, Math.min(this.#selected - Math.floor(count / 2), matches.length - count));
    const shown = matches.slice(first, first + count);
    const widths = measureColumns(shown);
    const rows = shown.map((choice, at) => renderChoice(choice, widths, first + at === this.#selected));
    const counter =
      matches.length === 0
        ? `  no match for “${this.#query}”`
        : `  ${this.#selected + 1} of ${matches.length}${matches.length < this.#choices.length ? ` (${this.#choices.length} in all)` : ''}`;
    const head = [
      line(this.#title, { bold: true, colour: 'cyan' }),
      [span('› ', { colour: 'cyan' }), this.#query === '' ? span('type to filter', { dim: true }) : span(this.#query)],
    ];
    return {
      rows: [...head, ...rows, line(counter, { dim: true })].map((row) => truncateLine(row, width)),
      cursor: { row: 1, column: Math.min(width, 2 + measureWidth(this.#query)) },
    };
  }

  #setQuery(query: string): void {
    this.#query = query;
    this.#selected = 0;
  }

  /** Every word of the query must match the name, or be part of another column. */
  #findMatches(): readonly SearchChoice[] {
    const words = this.#query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return this.#choices;
    const scored = this.#choices.flatMap((choice) => {
      const [name = '', ...others] = choice.columns.map((text) => text.toLowerCase());
      const scores = words.map(
        (word) => scoreMatch(word, name) ?? (others.some((text) => text.includes(word)) ? 1 : undefined),
      );
      const isMatch = scores.every((score) => score !== undefined);
      return isMatch ? [{ choice, score: scores.reduce((sum: number, score) => sum + (score ?? 0), 0) }] : [];
    });
    return scored.sort((one, other) => other.score - one.score).map(({ choice }) => choice);
  }
}

function measureColumns(choices: readonly SearchChoice[]): number[] {
  const count = Math.max(0, ...choices.map(({ columns }) => columns.length));
  return Array.from({ length: count }, (_, at) =>
    Math.max(...choices.map(({ columns }) => measureWidth(columns[at] ?? ''))),
  );
}

function renderChoice({ columns }: SearchChoice, widths: readonly number[], isSelected: boolean): Line {
  const cells = columns.map((text, at) => {
    const isLast = at === columns.length - 1;
    const padding = isLast ? '' : ' '.repeat(Math.max(0, (widths[at] ?? 0) - measureWidth(text)) + COLUMN_GAP);
    if (at > 0) return [span(text + padding, { dim: true })];
    return [span(text, isSelected ? { inverse: true } : {}), span(padding)];
  });
  return [span(isSelected ? '› ' : '  ', { colour: 'cyan' }), ...cells.flat()];
}
