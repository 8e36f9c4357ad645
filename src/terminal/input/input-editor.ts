// The input line: draft, pasted texts, input history, history search and completion menu.
import type { Line } from '../text/line.ts';
import { CompletionMenu } from './completion-menu.ts';
import {
  createDraft,
  type Draft,
  EDIT_BINDINGS,
  EMPTY_DRAFT,
  insertClean,
  insertText,
  moveVertically,
} from './draft.ts';
import type { CompletionSources } from './find-completion.ts';
import { HistorySearch } from './history-search.ts';
import type { InputHistory } from './input-history.ts';
import { isNewlineKey, type KeyInput } from './key-decoder.ts';
import { PastedTexts } from './pasted-texts.ts';

export interface InputEditorOptions {
  readonly history: InputHistory;
  readonly completionSources: CompletionSources;
  /** False where nothing can be redrawn: then no menu opens, and pasted text is shown whole. */
  readonly canRedraw: boolean;
  onChange(): void;
  stopFileSearch(): void;
}

export class InputEditor {
  /** May contain placeholders of pasted texts; `text` does not. */
  draft: Draft = EMPTY_DRAFT;
  readonly #options: InputEditorOptions;
  readonly #pastedTexts = new PastedTexts();
  readonly #menu: CompletionMenu;
  #historySearch: HistorySearch | undefined;

  constructor(options: InputEditorOptions) {
    this.#options = options;
    this.#menu = new CompletionMenu({
      sources: options.completionSources,
      getDraft: () => this.draft,
      setDraft: (draft) => {
        this.draft = draft;
      },
      onChange: options.onChange,
      stopFileSearch: options.stopFileSearch,
    });
  }

  /** The whole text of the draft. */
  get text(): string {
    return this.#pastedTexts.expand(this.draft.text);
  }

  /** The draft as it is shown: a long pasted text is one label. */
  get displayedDraft(): Draft {
    return this.#pastedTexts.toDisplayed(this.draft);
  }

  /** Returns the text when the key sends it. */
  handleKey(keyInput: KeyInput): string | undefined {
    if (!('key' in keyInput)) {
      this.#insert(keyInput);
      return undefined;
    }
    const { key } = keyInput;
    if (this.#menu.handleMoveKey(key)) return undefined;
    if (key === 'tab') {
      if (this.#menu.acceptsKeys) this.#menu.accept();
      else if (this.#options.canRedraw) this.#menu.complete();
      return undefined;
    }
    if (key === 'enter') return this.#handleEnter();
    this.#applyEdit(key);
    return undefined;
  }

  /** Returns whether the history search used the key. Another key ends the search and must be handled as usual. */
  handleSearchKey(keyInput: KeyInput): boolean {
    if (!this.#historySearch) {
      const startsSearch = 'key' in keyInput && keyInput.key === 'ctrl+r';
      if (startsSearch) {
        this.#menu.close();
        this.#historySearch = new HistorySearch(this.#options.history, this.draft);
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
    this.#menu.close();
    this.draft = insertText(createDraft('', this.draft.cutText), text);
  }

  /** Clears the draft; Ctrl+Y inserts it again. */
  cutAll(): void {
    this.#menu.close();
    this.draft = createDraft('', this.draft.text || this.draft.cutText);
  }

  get hasMenu(): boolean {
    return this.#menu.isActive;
  }

  /** Closes the menu until another word is typed. */
  dismissMenu(): void {
    this.#menu.dismiss();
  }

  renderMenu(width: number, height: number): Line[] {
    return this.#historySearch?.render(width) ?? this.#menu.render(width, height);
  }

  #insert(keyInput: Exclude<KeyInput, { key: string }>): void {
    if ('text' in keyInput) this.draft = insertText(this.draft, keyInput.text);
    else if (this.#options.canRedraw)
      this.draft = insertClean(this.draft, this.#pastedTexts.add(keyInput.pasted, this.draft));
    else this.draft = insertText(this.draft, keyInput.pasted);
    this.#updateMenu();
  }

  #handleEnter(): string | undefined {
    const isAccepted = this.#menu.acceptsKeys && !this.#menu.isComplete;
    if (isAccepted && !this.#menu.accept()?.isRunnable) return undefined;
    this.#menu.close();
    const { text, cursor } = this.draft;
    if (text[cursor - 1] === '\\') {
      this.draft = insertText(
        { ...this.draft, text: text.slice(0, cursor - 1) + text.slice(cursor), cursor: cursor - 1 },
        '\n',
      );
      return undefined;
    }
    const sent = isAccepted ? this.text.trimEnd() : this.text;
    this.draft = { ...EMPTY_DRAFT, cutText: this.draft.cutText };
    return sent;
  }

  #applyEdit(key: string): void {
    const before = this.draft;
    this.draft = this.#applyKey(key);
    // The menu follows edits, not movements in the text or in the history.
    const isEdit = this.draft.text !== before.text && !isHistoryKey(key);
    if (isEdit) this.#updateMenu();
    else this.#menu.close();
  }

  #applyKey(key: string): Draft {
    if (isNewlineKey(key)) return insertText(this.draft, '\n');
    if (isHistoryKey(key)) return this.#moveVertically(key === 'up' || key === 'ctrl+p' ? -1 : 1);
    return EDIT_BINDINGS[key]?.(this.draft) ?? this.draft;
  }

  #updateMenu(): void {
    if (this.#options.canRedraw) this.#menu.update();
  }

  #moveVertically(by: -1 | 1): Draft {
    const moved = moveVertically(this.draft, by);
    if (moved) return moved;
    const text = this.#options.history.move(by, this.draft.text);
    return text === undefined ? this.draft : createDraft(text, this.draft.cutText);
  }
}

function isHistoryKey(key: string): boolean {
  return key === 'up' || key === 'down' || key === 'ctrl+p' || key === 'ctrl+n';
}
