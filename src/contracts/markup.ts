// Rendering of untrusted Markdown and code to HTML.

export interface Markup {
  readonly kind: 'markdown' | 'code';
  readonly text: string;
  /** Language of code. Without it, the code is not highlighted. */
  readonly language?: string | undefined;
}

/**
 * Returns safe HTML for each text, in the same order. `undefined` when a text takes too long or cannot be parsed: the caller
 * displays the source text. For some texts the parsers need quadratic or cubic time, so they run in a thread that can be
 * terminated.
 */
export type RenderMarkup = (texts: readonly Markup[]) => Promise<readonly (string | undefined)[]>;
