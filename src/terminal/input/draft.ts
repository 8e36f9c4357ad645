// The text being edited and its cursor. Immutable: every edit returns a new draft.
import { splitGraphemes } from '../text/text-width.ts';
import { isPlaceholder } from './placeholders.ts';

export interface Draft {
  readonly text: string;
  /** In UTF-16 units; always on a grapheme boundary. */
  readonly cursor: number;
  /** The last text that was cut; Ctrl+Y inserts it. */
  readonly cutText: string;
}

export const EMPTY_DRAFT: Draft = { text: '', cursor: 0, cutText: '' };

/** Longer drafts would make every key slow. Pasted text beyond the limit is dropped. */
export const MAX_DRAFT_LENGTH = 1_000_000;

export function createDraft(text: string, cutText = ''): Draft {
  return { text, cursor: text.length, cutText };
}

export function insertText(draft: Draft, inserted: string): Draft {
  return insertClean(draft, cleanInput(inserted));
}

/** Inserts text that may contain placeholders of pasted texts. */
export function insertClean({ text, cursor, cutText }: Draft, clean: string): Draft {
  const fitting = clean.slice(0, Math.max(0, MAX_DRAFT_LENGTH - text.length));
  return { text: text.slice(0, cursor) + fitting + text.slice(cursor), cursor: cursor + fitting.length, cutText };
}

/** Control characters are removed, also from pasted text, and the characters of placeholders. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being removed
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufdd0-\ufdef]/g;

export function cleanInput(typed: string): string {
  return typed.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROL_CHARACTERS, '');
}

type Edit = (draft: Draft) => Draft;

/** Key name to edit. */
export const EDIT_BINDINGS: Readonly<Record<string, Edit>> = {
  left: (draft) => moveCursor(draft, findPreviousPosition(draft)),
  right: (draft) => moveCursor(draft, findNextPosition(draft)),
  'ctrl+b': (draft) => moveCursor(draft, findPreviousPosition(draft)),
  'ctrl+f': (draft) => moveCursor(draft, findNextPosition(draft)),
  home: (draft) => moveCursor(draft, findLineStart(draft)),
  end: (draft) => moveCursor(draft, findLineEnd(draft)),
  'ctrl+a': (draft) => moveCursor(draft, findLineStart(draft)),
  'ctrl+e': (draft) => moveCursor(draft, findLineEnd(draft)),
  'ctrl+left': (draft) => moveCursor(draft, findPreviousWord(draft)),
  'ctrl+right': (draft) => moveCursor(draft, findNextWord(draft)),
  'alt+left': (draft) => moveCursor(draft, findPreviousWord(draft)),
  'alt+right': (draft) => moveCursor(draft, findNextWord(draft)),
  'alt+b': (draft) => moveCursor(draft, findPreviousWord(draft)),
  'alt+f': (draft) => moveCursor(draft, findNextWord(draft)),
  backspace: (draft) => deleteRange(draft, findPreviousPosition(draft), draft.cursor),
  'ctrl+h': (draft) => deleteRange(draft, findPreviousPosition(draft), draft.cursor),
  'shift+backspace': (draft) => deleteRange(draft, findPreviousPosition(draft), draft.cursor),
  delete: (draft) => deleteRange(draft, draft.cursor, findNextPosition(draft)),
  'ctrl+w': (draft) => cutRange(draft, findPreviousWord(draft), draft.cursor),
  'alt+backspace': (draft) => cutRange(draft, findPreviousWord(draft), draft.cursor),
  'ctrl+backspace': (draft) => cutRange(draft, findPreviousWord(draft), draft.cursor),
  'alt+d': (draft) => cutRange(draft, draft.cursor, findNextWord(draft)),
  'ctrl+u': (draft) => cutRange(draft, findLineStart(draft), draft.cursor),
  // At the end of a line, cuts the newline.
  'ctrl+k': (draft) =>
    cutRange(draft, draft.cursor, findLineEnd(draft) > draft.cursor ? findLineEnd(draft) : findNextPosition(draft)),
  'ctrl+y': (draft) => insertClean(draft, draft.cutText),
};

/** Moves to the same column of the line above or below. `undefined` when there is no such line. */
export function moveVertically(draft: Draft, by: -1 | 1): Draft | undefined {
  const start = findLineStart(draft);
  const end = findLineEnd(draft);
  const column = splitGraphemes(draft.text.slice(start, draft.cursor)).length;
  const target = by < 0 ? start - 1 : end + 1;
  if (target < 0 || target > draft.text.length) return undefined;
  const targetDraft = { ...draft, cursor: target };
  const line = draft.text.slice(findLineStart(targetDraft), findLineEnd(targetDraft));
  const skipped = splitGraphemes(line)
    .slice(0, column)
    .reduce((sum, { text }) => sum + text.length, 0);
  return moveCursor(draft, findLineStart(targetDraft) + skipped);
}

export function moveCursor(draft: Draft, cursor: number): Draft {
  return { ...draft, cursor };
}

function deleteRange({ text, cutText }: Draft, from: number, to: number): Draft {
  return { text: text.slice(0, from) + text.slice(to), cursor: from, cutText };
}

function cutRange(draft: Draft, from: number, to: number): Draft {
  const rest = deleteRange(draft, from, to);
  return from === to ? rest : { ...rest, cutText: draft.text.slice(from, to) };
}

function findLineStart({ text, cursor }: Draft): number {
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

function findLineEnd({ text, cursor }: Draft): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}

function findPreviousPosition(draft: Draft): number {
  const { text, cursor } = draft;
  const start = findLineStart(draft);
  if (cursor === start) return Math.max(0, cursor - 1);
  return cursor - (splitGraphemes(text.slice(start, cursor)).at(-1)?.text.length ?? 0);
}

function findNextPosition(draft: Draft): number {
  const { text, cursor } = draft;
  const end = findLineEnd(draft);
  if (cursor === end) return Math.min(text.length, cursor + 1);
  return cursor + (splitGraphemes(text.slice(cursor, end))[0]?.text.length ?? 0);
}

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}_]/u;

/** Skips non-word characters, then the word before them. A pasted text is a word. */
function findPreviousWord({ text, cursor }: Draft): number {
  const characters = Array.from(text.slice(0, cursor));
  let end = characters.length;
  while (end > 0 && !isInWord(characters[end - 1] ?? '')) end -= 1;
  if (isPlaceholder(characters[end - 1] ?? '')) end -= 1;
  else while (end > 0 && WORD_CHARACTER.test(characters[end - 1] ?? '')) end -= 1;
  return characters.slice(0, end).join('').length;
}

function isInWord(character: string): boolean {
  return WORD_CHARACTER.test(character) || isPlaceholder(character);
}

function findNextWord({ text, cursor }: Draft): number {
  const found = /^[^\p{L}\p{N}\p{M}_\ufdd0-\ufdef]*(?:[\ufdd0-\ufdef]|[\p{L}\p{N}\p{M}_]*)/u.exec(text.slice(cursor));
  return cursor + (found?.[0].length ?? 0);
}
