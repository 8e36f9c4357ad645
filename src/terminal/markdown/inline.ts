// The hall, terminal: marks inside a line of markdown as looks. Pure; knows nothing of blocks.
import { Lexer, type Token, type Tokens } from 'marked';
import { type Line, type Look, type Span, span } from '../text/line.ts';

const LONGEST = 20_000;
/**
 * The lexer takes time in proportion to the length of the text and the square of the number of its marks. This much is a
 * few milliseconds. Text of people stays far below: a paragraph of 2,000 letters may have 700 marks.
 */
const MOST_WORK = 1e9;
const MARK = /[*_~`[\]()<>\\!&:@]/g;

const LOOKS: Readonly<Record<string, Look>> = {
  strong: { bold: true },
  em: { italic: true },
  del: { strike: true },
};

/** One line for each line of the text. */
export function inlineLines(text: string, look: Look = {}): Line[] {
  if (!isReadable(text)) return text.split('\n').map((line) => [span(line, look)]);
  const lines: Span[][] = [[]];
  const say = (words: string, how: Look) => {
    for (const [at, piece] of words.split('\n').entries()) {
      if (at > 0) lines.push([]);
      if (piece !== '') lines.at(-1)?.push(span(piece, how));
    }
  };
  walk(Lexer.lexInline(text), look, say);
  return lines;
}

/** Whether looking for marks ends soon. What is not readable is shown as it was written. */
function isReadable(text: string): boolean {
  if (text.length > LONGEST) return false;
  const marks = text.match(MARK)?.length ?? 0;
  return marks ** 2 * text.length <= MOST_WORK;
}

type Say = (words: string, look: Look) => void;

function walk(tokens: readonly Token[], look: Look, say: Say): void {
  for (const token of tokens) {
    const marked = LOOKS[token.type];
    if (token.type === 'codespan') say(token.text as string, { ...look, colour: 'cyan' });
    else if (token.type === 'br') say('\n', look);
    else if (token.type === 'link') link(token as Tokens.Link, look, say);
    else if (token.type === 'image') say(`[image: ${(token as Tokens.Image).text}]`, { ...look, dim: true });
    else if (marked) walk((token as Tokens.Strong).tokens, { ...look, ...marked }, say);
    else if (token.type === 'escape') say(token.text as string, look);
    // The source itself: `text` may hold entities where the source has letters.
    else say(token.raw, look);
  }
}

/** The address is always shown: words that hide where they lead are not believed. */
function link({ href, text, tokens }: Tokens.Link, look: Look, say: Say): void {
  const address = { ...look, underline: true, colour: 'blue' } as const;
  if (text === href || `mailto:${text}` === href) {
    say(text, address);
    return;
  }
  walk(tokens, look, say);
  say(' (', { ...look, dim: true });
  say(href, address);
  say(')', { ...look, dim: true });
}
