// Texts with the wildcard `*`. Compared without backtracking.

/** The literal texts between the wildcards. One element: no wildcard. */
export type TextPattern = readonly string[];

export const ANY_TEXT: TextPattern = ['', ''];

export function parseTextPattern(text: string): TextPattern {
  return text.split('*');
}

export function isAnyText(pattern: TextPattern): boolean {
  return pattern.length > 1 && pattern.every((part) => part === '');
}

/** Each wildcard matches any characters, also none. */
export function matchesText(pattern: TextPattern, text: string): boolean {
  const [first = '', ...rest] = pattern;
  if (rest.length === 0) return text === first;
  const last = rest.pop() as string;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Spellings that file systems or tools treat as the same: case, Unicode normal form, spaces and apostrophes. */
export function foldSpelling(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .replaceAll('\u2019', "'")
    .toLowerCase();
}
