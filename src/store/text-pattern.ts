// Finds a text in session logs without parsing their lines. Case and the kind of white space do not count.

export interface TextPattern {
  /** Whether a line of a log may contain the text. `line` is UTF-8, read as latin1. */
  mayMatchLine(line: string): boolean;
  /** The place of the text, with some characters around it; `undefined` if it does not occur. */
  findExcerpt(text: string): string | undefined;
}

const EXCERPT_BEFORE = 40;
const EXCERPT_AFTER = 80;
/** White space in JSON: a space, or an escaped control character. */
const JSON_SPACE = '(?: |\\\\[nrt])+';

export function createTextPattern(query: string): TextPattern {
  const words = query.trim().split(/\s+/);
  const linePattern = new RegExp(words.map(createLinePattern).join(JSON_SPACE));
  const textPattern = new RegExp(words.map(escapePattern).join('\\s+'), 'iu');
  return {
    mayMatchLine: (line) => linePattern.test(line),
    findExcerpt(text) {
      const found = textPattern.exec(text);
      if (!found) return undefined;
      const [start, end] = [found.index - EXCERPT_BEFORE, found.index + found[0].length + EXCERPT_AFTER];
      const excerpt = text.slice(Math.max(0, start), end).replace(/\s+/g, ' ').trim();
      return `${start > 0 ? '…' : ''}${excerpt}${end < text.length ? '…' : ''}`;
    },
  };
}

/** Matches the word as it is in a log: each character in both cases, escaped as in JSON, as UTF-8 bytes. */
function createLinePattern(word: string): string {
  return [...word]
    .map((character) => {
      const forms = new Set([character, character.toLowerCase(), character.toUpperCase()]);
      const encoded = [...forms].map((form) =>
        escapePattern(Buffer.from(JSON.stringify(form).slice(1, -1)).toString('latin1')),
      );
      return encoded.length === 1 ? encoded[0] : `(?:${encoded.join('|')})`;
    })
    .join('');
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
