// The hall, terminal: the text that a person is writing, and where. Pure: every key gives a new state. Knows no screen.
import { graphemes } from '../text/cells.ts';

export interface Draft {
  readonly text: string;
  /** Between graphemes, counted in UTF-16 units. */
  readonly at: number;
  /** What was cut last, to be put in again. */
  readonly cut: string;
}

export const NOTHING_WRITTEN: Draft = { text: '', at: 0, cut: '' };

/** More than anybody types; what is pasted beyond it would make every key slow. */
const LONGEST = 1_000_000;

export function written(text: string, cut = ''): Draft {
  return { text, at: text.length, cut };
}

export function inserted({ text, at, cut }: Draft, more: string): Draft {
  const clean = textOf(more).slice(0, Math.max(0, LONGEST - text.length));
  return { text: text.slice(0, at) + clean + text.slice(at), at: at + clean.length, cut };
}

/** What is no text has no place in a draft, however it was pasted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is being removed
const NO_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

function textOf(typed: string): string {
  return typed.toWellFormed().replace(/\r\n?/g, '\n').replace(NO_TEXT, '');
}

type Edit = (draft: Draft) => Draft;

/** By the key's name. */
export const EDITS: Readonly<Record<string, Edit>> = {
  left: (draft) => moved(draft, before(draft)),
  right: (draft) => moved(draft, after(draft)),
  'ctrl+b': (draft) => moved(draft, before(draft)),
  'ctrl+f': (draft) => moved(draft, after(draft)),
  home: (draft) => moved(draft, lineStart(draft)),
  end: (draft) => moved(draft, lineEnd(draft)),
  'ctrl+a': (draft) => moved(draft, lineStart(draft)),
  'ctrl+e': (draft) => moved(draft, lineEnd(draft)),
  'ctrl+left': (draft) => moved(draft, wordBefore(draft)),
  'ctrl+right': (draft) => moved(draft, wordAfter(draft)),
  'alt+left': (draft) => moved(draft, wordBefore(draft)),
  'alt+right': (draft) => moved(draft, wordAfter(draft)),
  'alt+b': (draft) => moved(draft, wordBefore(draft)),
  'alt+f': (draft) => moved(draft, wordAfter(draft)),
  backspace: (draft) => without(draft, before(draft), draft.at),
  'ctrl+h': (draft) => without(draft, before(draft), draft.at),
  'shift+backspace': (draft) => without(draft, before(draft), draft.at),
  delete: (draft) => without(draft, draft.at, after(draft)),
  'ctrl+w': (draft) => cutOut(draft, wordBefore(draft), draft.at),
  'alt+backspace': (draft) => cutOut(draft, wordBefore(draft), draft.at),
  'ctrl+backspace': (draft) => cutOut(draft, wordBefore(draft), draft.at),
  'alt+d': (draft) => cutOut(draft, draft.at, wordAfter(draft)),
  'ctrl+u': (draft) => cutOut(draft, lineStart(draft), draft.at),
  // At the end of a line, the newline itself.
  'ctrl+k': (draft) => cutOut(draft, draft.at, lineEnd(draft) > draft.at ? lineEnd(draft) : after(draft)),
  'ctrl+y': (draft) => inserted(draft, draft.cut),
};

/** To the line above or below, as far from its beginning. `undefined` where there is none. */
export function verticallyMoved(draft: Draft, by: -1 | 1): Draft | undefined {
  const start = lineStart(draft);
  const end = lineEnd(draft);
  const column = graphemes(draft.text.slice(start, draft.at)).length;
  const target = by < 0 ? start - 1 : end + 1;
  if (target < 0 || target > draft.text.length) return undefined;
  const there = { ...draft, at: target };
  const line = draft.text.slice(lineStart(there), lineEnd(there));
  const skipped = graphemes(line)
    .slice(0, column)
    .reduce((sum, { text }) => sum + text.length, 0);
  return moved(draft, lineStart(there) + skipped);
}

export function moved(draft: Draft, at: number): Draft {
  return { ...draft, at };
}

function without({ text, cut }: Draft, from: number, to: number): Draft {
  return { text: text.slice(0, from) + text.slice(to), at: from, cut };
}

function cutOut(draft: Draft, from: number, to: number): Draft {
  const rest = without(draft, from, to);
  return from === to ? rest : { ...rest, cut: draft.text.slice(from, to) };
}

function lineStart({ text, at }: Draft): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd({ text, at }: Draft): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function before(draft: Draft): number {
  const { text, at } = draft;
  const start = lineStart(draft);
  if (at === start) return Math.max(0, at - 1);
  return at - (graphemes(text.slice(start, at)).at(-1)?.text.length ?? 0);
}

function after(draft: Draft): number {
  const { text, at } = draft;
  const end = lineEnd(draft);
  if (at === end) return Math.min(text.length, at + 1);
  return at + (graphemes(text.slice(at, end))[0]?.text.length ?? 0);
}

const WORD_LETTER = /[\p{L}\p{N}\p{M}_]/u;

/** Back over what is no word, then over the word. */
function wordBefore({ text, at }: Draft): number {
  const letters = Array.from(text.slice(0, at));
  let end = letters.length;
  while (end > 0 && !WORD_LETTER.test(letters[end - 1] ?? '')) end -= 1;
  while (end > 0 && WORD_LETTER.test(letters[end - 1] ?? '')) end -= 1;
  return letters.slice(0, end).join('').length;
}

function wordAfter({ text, at }: Draft): number {
  const found = /^[^\p{L}\p{N}\p{M}_]*[\p{L}\p{N}\p{M}_]*/u.exec(text.slice(at));
  return at + (found?.[0].length ?? 0);
}
