// The input line: draft, input history, history search and tab completion.
import { type Line, line, span, truncateLine } from '../text/line.ts';
import { createDraft, type Draft, EDIT_BINDINGS, EMPTY_DRAFT, insertText, moveVertically } from './draft.ts';
import {
  type Completion,
  type CompletionSources,
  findCommonPrefix,
  findCompletion,
  replaceWord,
} from './find-completion.ts';
import { HistorySearch } from './history-search.ts';
import type { InputHistory } from './input-history.ts';
import { isNewlineKey, type KeyInput } from './key-decoder.ts';

const MAX_MENU_LINES = 8;

interface CompletionMenu extends Completion {
  selected: number | undefined;
}

export class InputEditor {
  draft: Draft = EMPTY_DRAFT;
  readonly #inputHistory: InputHistory;
  readonly #completionSources: CompletionSources;
  readonly #onChange: () => void;
  #completionMenu: CompletionMenu | undefined;
  #historySearch: HistorySearch | undefined;

  constructor(inputHistory: InputHistory, completionSources: CompletionSources, onChange: () => void) {
    this.#inputHistory = inputHistory;
    this.#completionSources = completionSources;
    this.#onChange = onChange;
  }

  /** Returns the text when the key sends it. */
  handleKey(keyInput: KeyInput): string | undefined {
    if (!('key' in keyInput)) {
      this.#completionMenu = undefined;
      this.draft = insertText(this.draft, 'text' in keyInput ? keyInput.text : keyInput.pasted);
      return undefined;
    }
    const { key } = keyInput;
    if (key === 'tab') void this.#complete();
    else {
      this.#completionMenu = undefined;
      if (key === 'enter') return this.#handleEnter();
      this.draft = this.#applyKey(key);
    }
    return undefined;
  }

  /** Returns whether the history search used the key. Another key ends the search and must be handled as usual. */
  handleSearchKey(keyInput: KeyInput): boolean {
    if (!this.#historySearch) {
      const startsSearch = 'key' in keyInput && keyInput.key === 'ctrl+r';
      if (startsSearch) {
        this.#completionMenu = undefined;
        this.#historySearch = new HistorySearch(this.#inputHistory, this.draft);
      }
      return startsSearch;
    }
    const search = this.#historySearch;
    const outcome = search.handleKey(keyInput);
    this.draft = outcome === 'cancel' ? search.cancel() : search.draft;
    if (outcome === 'continue') return true;
    this.#historySearch = undefined;
    if (outcome !== 'cancel') search.accept();
    return outcome !== 'pass';
  }

  setText(text: string): void {
    this.#historySearch = undefined;
    this.#completionMenu = undefined;
    this.draft = insertText(createDraft('', this.draft.cutText), text);
  }

  /** Clears the draft; Ctrl+Y inserts it again. */
  cutAll(): void {
    this.#completionMenu = undefined;
    this.draft = createDraft('', this.draft.text || this.draft.cutText);
  }

  get hasMenu(): boolean {
    return this.#completionMenu !== undefined;
  }

  closeMenu(): void {
    this.#completionMenu = undefined;
  }

  renderMenu(width: number): Line[] {
    if (this.#historySearch) return this.#historySearch.render(width);
    const { suggestions = [], selected = 0 } = this.#completionMenu ?? {};
    const first = Math.max(0, Math.min((selected ?? 0) - MAX_MENU_LINES + 1, suggestions.length - MAX_MENU_LINES));
    const rows = suggestions.slice(first, first + MAX_MENU_LINES).map(({ value, doc }, row) => {
      const style = this.#completionMenu?.selected === first + row ? { inverse: true } : {};
      return truncateLine(
        [span('  '), span(value.trimEnd(), style), span(doc ? `  ${doc}` : '', { dim: true })],
        width,
      );
    });
    const more = suggestions.length - rows.length;
    return more > 0 ? [...rows, line(`  … ${more} more`, { dim: true })] : rows;
  }

  #handleEnter(): string | undefined {
    const { text, cursor } = this.draft;
    if (text[cursor - 1] === '\\') {
      this.draft = insertText(
        { ...this.draft, text: text.slice(0, cursor - 1) + text.slice(cursor), cursor: cursor - 1 },
        '\n',
      );
      return undefined;
    }
    this.draft = { ...EMPTY_DRAFT, cutText: this.draft.cutText };
    return text;
  }

  #applyKey(key: string): Draft {
    if (isNewlineKey(key)) return insertText(this.draft, '\n');
    if (key === 'up' || key === 'ctrl+p') return this.#moveVertically(-1);
    if (key === 'down' || key === 'ctrl+n') return this.#moveVertically(1);
    return EDIT_BINDINGS[key]?.(this.draft) ?? this.draft;
  }

  #moveVertically(by: -1 | 1): Draft {
    const moved = moveVertically(this.draft, by);
    if (moved) return moved;
    const text = this.#inputHistory.move(by, this.draft.text);
    return text === undefined ? this.draft : createDraft(text, this.draft.cutText);
  }

  async #complete(): Promise<void> {
    const menu = this.#completionMenu;
    if (menu) {
      const at = ((menu.selected ?? -1) + 1) % menu.suggestions.length;
      this.draft = replaceWord(this.draft, menu.from, menu.suggestions[at]?.value ?? '');
      this.#completionMenu = { ...menu, selected: at };
      return;
    }
    const { draft } = this;
    const completion = await findCompletion(draft, this.#completionSources).catch(() => undefined);
    // Discard the result when the draft has changed during the lookup.
    if (!completion || this.draft !== draft || completion.suggestions.length === 0) return;
    const prefix = findCommonPrefix(completion.suggestions);
    if (prefix.length > draft.cursor - completion.from) this.draft = replaceWord(draft, completion.from, prefix);
    if (completion.suggestions.length > 1) this.#completionMenu = { ...completion, selected: undefined };
    this.#onChange();
  }
}
