// Renders inline Markdown (emphasis, code, links) as styled spans.
import { Lexer, type Token, type Tokens } from 'marked';
import { type Line, type Span, span, type TextStyle } from '../text/line.ts';

const MAX_TEXT_LENGTH = 20_000;
/**
 * The time of the lexer grows with the length of the text times the square of the number of its markup characters. This
 * limit allows a few milliseconds. Normal text stays far below: a paragraph of 2,000 characters may have 700 of them.
 */
const MAX_LEXER_COST = 1e9;
const MARKUP_CHARACTER = /[*_~`[\]()<>\\!&:@]/g;

const TOKEN_STYLES: Readonly<Record<string, TextStyle>> = {
  strong: { bold: true },
  em: { italic: true },
  del: { strike: true },
};

/** One line for each line of the text. */
export function renderInline(text: string, style: TextStyle = {}): Line[] {
  if (!isCheapToLex(text)) return text.split('\n').map((line) => [span(line, style)]);
  const lines: Span[][] = [[]];
  const emit = (text: string, style: TextStyle) => {
    for (const [at, piece] of text.split('\n').entries()) {
      if (at > 0) lines.push([]);
      if (piece !== '') lines.at(-1)?.push(span(piece, style));
    }
  };
  renderTokens(Lexer.lexInline(text), style, emit);
  return lines;
}

/** Text that is too expensive for the lexer is shown unformatted. */
function isCheapToLex(text: string): boolean {
  if (text.length > MAX_TEXT_LENGTH) return false;
  const marks = text.match(MARKUP_CHARACTER)?.length ?? 0;
  return marks ** 2 * text.length <= MAX_LEXER_COST;
}

type EmitText = (text: string, style: TextStyle) => void;

function renderTokens(tokens: readonly Token[], style: TextStyle, emit: EmitText): void {
  for (const token of tokens) {
    const tokenStyle = TOKEN_STYLES[token.type];
    if (token.type === 'codespan') emit(token.text as string, { ...style, colour: 'cyan' });
    else if (token.type === 'br') emit('\n', style);
    else if (token.type === 'link') renderLink(token as Tokens.Link, style, emit);
    else if (token.type === 'image') emit(`[image: ${(token as Tokens.Image).text}]`, { ...style, dim: true });
    else if (tokenStyle) renderTokens((token as Tokens.Strong).tokens, { ...style, ...tokenStyle }, emit);
    else if (token.type === 'escape') emit(token.text as string, style);
    // Use `raw`: `text` has HTML entities in place of some characters.
    else emit(token.raw, style);
  }
}

/** Always shows the URL, because the link text may be misleading. */
function renderLink({ href, text, tokens }: Tokens.Link, style: TextStyle, emit: EmitText): void {
  const urlStyle = { ...style, underline: true, colour: 'blue' } as const;
  if (text === href || `mailto:${text}` === href) {
    emit(text, urlStyle);
    return;
  }
  renderTokens(tokens, style, emit);
  emit(' (', { ...style, dim: true });
  emit(href, urlStyle);
  emit(')', { ...style, dim: true });
}
