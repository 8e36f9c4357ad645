// Replaces quoted parts of a sentence with tokens, so that quoted text is never parsed as an instruction.

export interface Quote {
  /** The text between the quotation marks. */
  text: string;
  /** Including the quotation marks. */
  raw: string;
}

export interface MaskedText {
  /** The sentence with a token in place of every quoted part. */
  text: string;
  quotes: readonly Quote[];
}

// Unicode noncharacters, which do not occur in text that programs exchange.
const OPEN = '\uFDD0';
const CLOSE = '\uFDD1';

/** Matches one token; for use inside other regular expressions. */
export const QUOTE_TOKEN = `${OPEN}\\d+${CLOSE}`;

/** Tried in this order at every opening character. */
const QUOTE_PATTERNS = [
  /```[^\n`]*\n(?<inside>[\s\S]*?)```/uy,
  /``(?<inside>[^\n]{1,2000}?)``/uy,
  /`(?<inside>[^`]+)`/uy,
  /"(?<inside>[^"]*)"/uy,
  /“(?<inside>[^”]*)”/uy,
  /«(?<inside>[^»]*)»/uy,
  // An apostrophe inside a word is not an opening quote.
  /(?<![^\s(,:])['‘](?<inside>[^\n]{0,400}?)['’](?![^\s),.;:?!])/uy,
];
// OPEN and CLOSE characters of the input must be removed, because they would look like our tokens.
const OPENERS = new RegExp(`[\`"“«'‘${OPEN}${CLOSE}]`, 'gu');

export function maskQuotes(sentence: string): MaskedText {
  const quotes: Quote[] = [];
  // Avoids scanning to the end of the text for every opening mark without a closing one.
  const lastClosers: Readonly<Record<string, number>> = {
    '“': sentence.lastIndexOf('”'),
    '«': sentence.lastIndexOf('»'),
  };
  let text = '';
  let end = 0;
  for (const { 0: opener, index } of sentence.matchAll(OPENERS)) {
    if (index < end || (lastClosers[opener] ?? index) < index) continue;
    const raw = opener === OPEN || opener === CLOSE ? opener : readQuoteAt(sentence, index, opener, quotes);
    if (raw === undefined) continue;
    text += sentence.slice(end, index) + (raw === opener ? ' ' : `${OPEN}${quotes.length - 1}${CLOSE}`);
    end = index + raw.length;
  }
  return { text: text + sentence.slice(end), quotes };
}

/** Adds the quote that starts at `index`; `undefined` when there is none. */
function readQuoteAt(sentence: string, index: number, opener: string, quotes: Quote[]): string | undefined {
  for (const pattern of QUOTE_PATTERNS) {
    pattern.lastIndex = index;
    const match = pattern.exec(sentence);
    if (!match) continue;
    const content = match.groups?.inside ?? '';
    quotes.push({ text: opener === '«' ? content.trim() : content, raw: match[0] });
    return match[0];
  }
  return undefined;
}

const TOKEN = new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'gu');

/** Restores the original text, including quotation marks. */
export function unmaskQuotes(part: string, quotes: readonly Quote[]): string {
  return part.replace(TOKEN, (_, index) => quotes[Number(index)]?.raw ?? '');
}

/** The content of a part that is exactly one quote; otherwise `undefined`. */
export function getQuotedText(part: string, quotes: readonly Quote[]): string | undefined {
  const token = new RegExp(`^${OPEN}(\\d+)${CLOSE}$`, 'u').exec(part.trim());
  return token ? quotes[Number(token[1])]?.text : undefined;
}
