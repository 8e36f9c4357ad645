// First floor, llm: takes quoted parts out of a sentence, so that words inside quotes are never read as instructions.

export interface Quote {
  /** What stands between the marks. */
  text: string;
  /** The marks included. */
  raw: string;
}

export interface Masked {
  /** The sentence with a token in place of every quoted part. */
  text: string;
  quotes: readonly Quote[];
}

// Noncharacters: no text that is exchanged between programs may hold them.
const OPEN = '\uFDD0';
const CLOSE = '\uFDD1';

/** Matches one token; for use inside larger expressions. */
export const QUOTE = `${OPEN}\\d+${CLOSE}`;

const MARKS = [
  /```[^\n`]*\n(?<fence>[\s\S]*?)```/,
  /``(?<ticks>[^\n]{1,2000}?)``/,
  /`(?<tick>[^`]+)`/,
  /"(?<straight>[^"]*)"/,
  /“(?<curly>[^”]*)”/,
  /«\s*(?<angled>[^»]*?)\s*»/,
  // An apostrophe inside a word opens nothing.
  /(?<![^\s(,:])['‘](?<single>[^\n]{0,400}?)['’](?![^\s),.;:?!])/,
];
// A token that the sentence brings along, outside of any quote, would pass for one of ours.
const QUOTED = new RegExp([...MARKS.map((mark) => mark.source), `[${OPEN}${CLOSE}]`].join('|'), 'gu');

export function mask(sentence: string): Masked {
  const quotes: Quote[] = [];
  const text = sentence.replace(QUOTED, (raw, ...rest) => {
    if (raw === OPEN || raw === CLOSE) return ' ';
    const groups = rest.at(-1) as Record<string, string | undefined>;
    const inside = Object.values(groups).find((part) => part !== undefined) ?? '';
    return `${OPEN}${quotes.push({ text: inside, raw }) - 1}${CLOSE}`;
  });
  return { text, quotes };
}

const TOKEN = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'gu');

/** A part of the sentence as it was written, marks included. */
export function unmask(part: string, quotes: readonly Quote[]): string {
  return part.replace(TOKEN, (_, index) => quotes[Number(index)]?.raw ?? '');
}

/** The content of a part that is one quote, or nothing. */
export function quotedText(part: string, quotes: readonly Quote[]): string | undefined {
  const token = new RegExp(`^${OPEN}(\\d+)${CLOSE}$`, 'u').exec(part.trim());
  return token ? quotes[Number(token[1])]?.text : undefined;
}
