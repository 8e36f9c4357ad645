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

/** Tried in this order where one of their first characters stands. */
const MARKS = [
  /```[^\n`]*\n(?<inside>[\s\S]*?)```/uy,
  /``(?<inside>[^\n]{1,2000}?)``/uy,
  /`(?<inside>[^`]+)`/uy,
  /"(?<inside>[^"]*)"/uy,
  /“(?<inside>[^”]*)”/uy,
  /«(?<inside>[^»]*)»/uy,
  // An apostrophe inside a word opens nothing.
  /(?<![^\s(,:])['‘](?<inside>[^\n]{0,400}?)['’](?![^\s),.;:?!])/uy,
];
// A token that the sentence brings along, outside of any quote, would pass for one of ours.
const OPENERS = new RegExp(`[\`"“«'‘${OPEN}${CLOSE}]`, 'gu');

export function mask(sentence: string): Masked {
  const quotes: Quote[] = [];
  // Without these, each of many opening marks that nothing closes would be followed to the end of the text.
  const lastClosers: Readonly<Record<string, number>> = {
    '“': sentence.lastIndexOf('”'),
    '«': sentence.lastIndexOf('»'),
  };
  let text = '';
  let done = 0;
  for (const { 0: opener, index } of sentence.matchAll(OPENERS)) {
    if (index < done || (lastClosers[opener] ?? index) < index) continue;
    const raw = opener === OPEN || opener === CLOSE ? opener : quoteAt(sentence, index, opener, quotes);
    if (raw === undefined) continue;
    text += sentence.slice(done, index) + (raw === opener ? ' ' : `${OPEN}${quotes.length - 1}${CLOSE}`);
    done = index + raw.length;
  }
  return { text: text + sentence.slice(done), quotes };
}

/** Adds the quoted part that begins here; `undefined` when none does. */
function quoteAt(sentence: string, index: number, opener: string, quotes: Quote[]): string | undefined {
  for (const mark of MARKS) {
    mark.lastIndex = index;
    const found = mark.exec(sentence);
    if (!found) continue;
    const inside = found.groups?.inside ?? '';
    quotes.push({ text: opener === '«' ? inside.trim() : inside, raw: found[0] });
    return found[0];
  }
  return undefined;
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
