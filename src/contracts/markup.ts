// Text of others that becomes a part of an HTML page.

export interface Markup {
  readonly kind: 'markdown' | 'code';
  readonly text: string;
  /** Of code; without one it is shown as it is. */
  readonly language?: string | undefined;
}

/**
 * Safe HTML for each text, in their order. `undefined` for a text that takes too long or cannot be read: it is to be shown as
 * it was written. The parsers take time that grows with the square or the cube of some texts, so they run in a thread that can
 * be ended.
 */
export type RenderMarkup = (texts: readonly Markup[]) => Promise<readonly (string | undefined)[]>;
