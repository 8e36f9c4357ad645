// The menu of completions below the input. It opens while a command or a mention is typed, and with Tab.
import { type Line, line, span, truncateLine } from '../text/line.ts';
import { measureWidth } from '../text/text-width.ts';
import type { Draft } from './draft.ts';
import {
  type CompletionSources,
  type CompletionTarget,
  findCommonPrefix,
  findCompletionTarget,
  findSuggestions,
  replaceWord,
  type Suggestion,
} from './find-completion.ts';

const MAX_ROWS = 8;
const MAX_NAME_WIDTH = 28;
const STEPS: Readonly<Record<string, number>> = {
  up: -1,
  'ctrl+p': -1,
  down: 1,
  'ctrl+n': 1,
  pageup: 1 - MAX_ROWS,
  pagedown: MAX_ROWS - 1,
};

interface OpenMenu {
  readonly target: CompletionTarget;
  readonly draft: Draft;
  readonly suggestions: readonly Suggestion[];
  selected: number;
}

interface CompletionMenuPorts {
  readonly sources: CompletionSources;
  /** The draft at this moment. Results for an older draft are discarded. */
  getDraft(): Draft;
  setDraft(draft: Draft): void;
  onChange(): void;
  /** Called when no search for files is needed any more. */
  stopFileSearch(): void;
}

export class CompletionMenu {
  readonly #ports: CompletionMenuPorts;
  #menu: OpenMenu | undefined;
  #search: { readonly controller: AbortController; readonly target: CompletionTarget } | undefined;
  /** Offset of the word for which the user has closed the menu. */
  #dismissedAt: number | undefined;

  constructor(ports: CompletionMenuPorts) {
    this.#ports = ports;
  }

  /** Also true while the first suggestions are being searched. */
  get isActive(): boolean {
    return this.#menu !== undefined || this.#search !== undefined;
  }

  /** False while the suggestions for the newest text are being searched: the ones that are shown are older. */
  get acceptsKeys(): boolean {
    return this.#menu !== undefined && this.#menu.draft === this.#ports.getDraft();
  }

  /** Call after the draft was edited. Opens the menu for a command or a mention, and closes it for other text. */
  update(): void {
    const target = findCompletionTarget(this.#ports.getDraft());
    if (!target || target.kind === 'argument') this.close();
    else if (target.from !== this.#dismissedAt) {
      this.#dismissedAt = undefined;
      void this.#open(target, 'typed');
    }
  }

  /** Completes the word as far as it is unambiguous, and opens the menu if there are several suggestions. */
  complete(): void {
    const target = findCompletionTarget(this.#ports.getDraft());
    if (target) void this.#open(target, 'tab');
  }

  close(): void {
    this.#dismissedAt = undefined;
    this.#search?.controller.abort();
    this.#search = undefined;
    this.#menu = undefined;
    this.#ports.stopFileSearch();
  }

  /** Closes the menu until another word is typed. */
  dismiss(): void {
    const from = (this.#search ?? this.#menu)?.target.from;
    this.close();
    this.#dismissedAt = from;
  }

  /** Returns whether the key moved the selection. */
  handleMoveKey(key: string): boolean {
    const step = STEPS[key];
    if (!this.#menu || !this.acceptsKeys || step === undefined) return false;
    const last = this.#menu.suggestions.length - 1;
    const at = this.#menu.selected + step;
    const isSingleStep = Math.abs(step) === 1;
    if (isSingleStep && at > last) this.#menu.selected = 0;
    else if (isSingleStep && at < 0) this.#menu.selected = last;
    else this.#menu.selected = Math.max(0, Math.min(last, at));
    return true;
  }

  /** Whether the selected suggestion is what the user has typed, so that there is nothing to accept. */
  get isComplete(): boolean {
    const menu = this.#menu;
    const { text, cursor } = this.#ports.getDraft();
    return menu?.suggestions[menu.selected]?.value.trimEnd() === text.slice(menu?.target.from, cursor);
  }

  /** Puts the selected suggestion into the draft. Returns it. */
  accept(): Suggestion | undefined {
    const menu = this.#menu;
    const suggestion = menu?.suggestions[menu.selected];
    this.close();
    if (!menu || !suggestion) return undefined;
    this.#ports.setDraft(replaceWord(this.#ports.getDraft(), menu.target.from, suggestion.value));
    // The contents of a folder follow.
    if (suggestion.value.endsWith('/')) this.update();
    return suggestion;
  }

  render(width: number, height: number): Line[] {
    if (!this.#menu) return [];
    const { suggestions, selected, target } = this.#menu;
    const maxRows = Math.max(1, Math.min(MAX_ROWS, height));
    const hasCounter = suggestions.length > maxRows && maxRows > 1;
    const count = hasCounter ? maxRows - 1 : maxRows;
    const first = Math.max(0, Math.min(selected - Math.floor(count / 2), suggestions.length - count));
    const shown = suggestions.slice(first, first + count);
    const mark = target.kind === 'command' ? '/' : '';
    const names = shown.map(({ value, label = value.trimEnd() }) => mark + label);
    const nameWidth = Math.min(MAX_NAME_WIDTH, Math.max(0, ...names.map((name) => measureWidth(name))));
    const rows = shown.map(({ doc = '' }, row) => {
      const name = names[row] ?? '';
      const isSelected = first + row === selected;
      const padding = ' '.repeat(Math.max(0, nameWidth - measureWidth(name)));
      const docSpans = doc === '' ? [] : [span(`${padding}  ${doc.trim().split('\n', 1)[0]}`, { dim: true })];
      const style = isSelected ? { inverse: true } : {};
      return truncateLine([span(isSelected ? '› ' : '  ', { colour: 'cyan' }), span(name, style), ...docSpans], width);
    });
    if (!hasCounter) return rows;
    return [...rows, truncateLine(line(`  ${selected + 1} of ${suggestions.length}`, { dim: true }), width)];
  }

  async #open(target: CompletionTarget, trigger: 'typed' | 'tab'): Promise<void> {
    this.#search?.controller.abort();
    const controller = new AbortController();
    const { signal } = controller;
    const search = { controller, target };
    this.#search = search;
    if (target.kind !== 'file') this.#ports.stopFileSearch();
    const draft = this.#ports.getDraft();
    const isCurrent = () => !signal.aborted && this.#ports.getDraft() === draft;
    try {
      let isFirst = true;
      for await (const suggestions of findSuggestions(target, this.#ports.sources, signal)) {
        if (!isCurrent()) return;
        if (isFirst && trigger === 'tab') this.#completePrefix(target, suggestions);
        else this.#show(target, suggestions);
        isFirst = false;
        this.#ports.onChange();
        if (!isCurrent()) return;
      }
    } catch {
      // A source that fails has no suggestions.
      if (isCurrent()) this.#menu = undefined;
    } finally {
      if (this.#search === search) this.#search = undefined;
    }
  }

  #show(target: CompletionTarget, suggestions: readonly Suggestion[]): void {
    const draft = this.#ports.getDraft();
    const isSameDraft = this.#menu?.draft === draft;
    const selected = isSameDraft ? Math.min(this.#menu?.selected ?? 0, suggestions.length - 1) : 0;
    this.#menu = suggestions.length === 0 ? undefined : { target, draft, suggestions, selected };
  }

  #completePrefix(target: CompletionTarget, suggestions: readonly Suggestion[]): void {
    const draft = this.#ports.getDraft();
    const prefix = findCommonPrefix(suggestions);
    // A suggestion of a fuzzy match does not continue what was typed.
    const typed = draft.text.slice(target.from, draft.cursor);
    if (prefix.length > typed.length && (prefix.startsWith(typed) || suggestions.length === 1))
      this.#ports.setDraft(replaceWord(draft, target.from, prefix));
    if (suggestions.length > 1) this.#show(target, suggestions);
    else if (prefix.endsWith('/')) this.update();
  }
}
