// The hall, terminal: the place where the person writes: the draft, earlier words, and what a word could become.
import { clipped, type Line, line, span } from '../text/line.ts';
import { type Completion, commonStart, completionFor, replaced, type Sources } from './completion.ts';
import { type Draft, EDITS, inserted, NOTHING_WRITTEN, verticallyMoved, written } from './editor.ts';
import type { History } from './history.ts';
import { isNewline, type Stroke } from './keys.ts';
import { Search } from './search.ts';

const MENU_LINES = 8;

interface Menu extends Completion {
  at: number | undefined;
}

export class Typing {
  draft: Draft = NOTHING_WRITTEN;
  readonly #history: History;
  readonly #sources: Sources;
  readonly #changed: () => void;
  #menu: Menu | undefined;
  #search: Search | undefined;

  constructor(history: History, sources: Sources, changed: () => void) {
    this.#history = history;
    this.#sources = sources;
    this.#changed = changed;
  }

  /** What was said, when this key says it. */
  stroke(stroke: Stroke): string | undefined {
    if (!('key' in stroke)) {
      this.#menu = undefined;
      this.draft = inserted(this.draft, 'text' in stroke ? stroke.text : stroke.pasted);
      return undefined;
    }
    const { key } = stroke;
    if (key === 'tab') void this.#complete();
    else {
      this.#menu = undefined;
      if (key === 'enter') return this.#enter();
      this.draft = this.#edited(key);
    }
    return undefined;
  }

  /** Whether the key is for a search in what was said before. Any other ends one, and means what it always means. */
  searches(stroke: Stroke): boolean {
    if (!this.#search) {
      const begins = 'key' in stroke && stroke.key === 'ctrl+r';
      if (begins) {
        this.#menu = undefined;
        this.#search = new Search(this.#history, this.draft);
      }
      return begins;
    }
    const search = this.#search;
    const outcome = search.stroke(stroke);
    this.draft = outcome === 'leaves' ? search.leave() : search.draft;
    if (outcome === 'goes on') return true;
    this.#search = undefined;
    if (outcome !== 'leaves') search.keep();
    return outcome !== 'ends';
  }

  write(text: string): void {
    this.#search = undefined;
    this.#menu = undefined;
    this.draft = inserted(written('', this.draft.cut), text);
  }

  /** Takes what was written away; Ctrl+Y brings it back. */
  discard(): void {
    this.#menu = undefined;
    this.draft = written('', this.draft.text || this.draft.cut);
  }

  get hasMenu(): boolean {
    return this.#menu !== undefined;
  }

  closeMenu(): void {
    this.#menu = undefined;
  }

  menu(width: number): Line[] {
    if (this.#search) return this.#search.view(width);
    const { suggestions = [], at = 0 } = this.#menu ?? {};
    const first = Math.max(0, Math.min((at ?? 0) - MENU_LINES + 1, suggestions.length - MENU_LINES));
    const rows = suggestions.slice(first, first + MENU_LINES).map(({ word, doc }, row) => {
      const look = this.#menu?.at === first + row ? { inverse: true } : {};
      return clipped([span('  '), span(word.trimEnd(), look), span(doc ? `  ${doc}` : '', { dim: true })], width);
    });
    const more = suggestions.length - rows.length;
    return more > 0 ? [...rows, line(`  … ${more} more`, { dim: true })] : rows;
  }

  #enter(): string | undefined {
    const { text, at } = this.draft;
    if (text[at - 1] === '\\') {
      this.draft = inserted({ ...this.draft, text: text.slice(0, at - 1) + text.slice(at), at: at - 1 }, '\n');
      return undefined;
    }
    this.draft = { ...NOTHING_WRITTEN, cut: this.draft.cut };
    return text;
  }

  #edited(key: string): Draft {
    if (isNewline(key)) return inserted(this.draft, '\n');
    if (key === 'up' || key === 'ctrl+p') return this.#vertical(-1);
    if (key === 'down' || key === 'ctrl+n') return this.#vertical(1);
    return EDITS[key]?.(this.draft) ?? this.draft;
  }

  #vertical(by: -1 | 1): Draft {
    const moved = verticallyMoved(this.draft, by);
    if (moved) return moved;
    const text = this.#history.move(by, this.draft.text);
    return text === undefined ? this.draft : written(text, this.draft.cut);
  }

  async #complete(): Promise<void> {
    const menu = this.#menu;
    if (menu) {
      const at = ((menu.at ?? -1) + 1) % menu.suggestions.length;
      this.draft = replaced(this.draft, menu.from, menu.suggestions[at]?.word ?? '');
      this.#menu = { ...menu, at };
      return;
    }
    const { draft } = this;
    const completion = await completionFor(draft, this.#sources).catch(() => undefined);
    // Whoever typed on meanwhile wants something else.
    if (!completion || this.draft !== draft || completion.suggestions.length === 0) return;
    const start = commonStart(completion.suggestions);
    if (start.length > draft.at - completion.from) this.draft = replaced(draft, completion.from, start);
    if (completion.suggestions.length > 1) this.#menu = { ...completion, at: undefined };
    this.#changed();
  }
}
