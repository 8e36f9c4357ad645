// Highlights code once the syntax highlighter is loaded. Before that, and without colours, code has one style.
import { type Line, span, type TextStyle } from '../text/line.ts';
import type { LineHighlighter } from './syntax-highlighter.ts';

let createLineHighlighter: ((language: string) => LineHighlighter | undefined) | undefined;

/** Call when the first screen is drawn: loading takes some milliseconds. */
export async function loadSyntaxHighlighter(): Promise<void> {
  ({ createLineHighlighter } = await import('./syntax-highlighter.ts'));
}

/** Lines in `language`, one after another. `plainStyle` is used if they cannot be highlighted. */
export function highlightLinesOf(language: string, plainStyle: TextStyle): LineHighlighter {
  const renderPlain = (text: string): Line => [span(text, plainStyle)];
  const highlighter = language === '' ? undefined : createLineHighlighter?.(language.toLowerCase());
  return highlighter ?? { push: renderPlain, peek: renderPlain };
}

/** The extension of a file, or its name if it has none, such as `Makefile`. */
export function getLanguageOfPath(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return name.slice(name.lastIndexOf('.') + 1);
}
