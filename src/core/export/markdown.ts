// First floor, core: markdown as safe HTML. Raw HTML in the text stays text; code is highlighted; links are checked.
import { escapeHtml, safeLink } from './escape.ts';

export type Markdown = (text: string) => string;

export interface Renderers {
  markdown: Markdown;
  /** Code in this language, or in the one it looks like; as it is when neither is known. */
  code(text: string, language: string | undefined): string;
}

/** Highlighting more than this costs seconds and helps nobody. */
const LONGEST_HIGHLIGHT = 50_000;

/** Loaded when the first page is written. */
export async function createRenderers(): Promise<Renderers> {
  const [{ Marked }, { default: highlighter }] = await Promise.all([
    import('marked'),
    import('highlight.js/lib/common'),
  ]);
  const code = (text: string, language: string | undefined): string => {
    if (text.length > LONGEST_HIGHLIGHT || !language || !highlighter.getLanguage(language)) return escapeHtml(text);
    return highlighter.highlight(text, { language, ignoreIllegals: true }).value;
  };
  const marked = new Marked({
    gfm: true,
    async: false,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      code: ({ text, lang }) => `<pre class="code"><code>${code(text, lang?.split(/\s/, 1)[0])}</code></pre>\n`,
      codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
      text(token) {
        return 'tokens' in token && token.tokens ? this.parser.parseInline(token.tokens) : escapeHtml(token.text);
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const target = safeLink(href);
        return target ? `<a href="${escapeHtml(target)}" rel="noopener noreferrer nofollow">${words}</a>` : words;
      },
      // A page that fetched pictures would tell their hosts who reads it.
      image({ href, text }) {
        const target = safeLink(href);
        const words = escapeHtml(text || 'image');
        return target
          ? `<a href="${escapeHtml(target)}" rel="noopener noreferrer nofollow">[${words}]</a>`
          : `[${words}]`;
      },
    },
  });
  return { code, markdown: (text) => marked.parse(text) as string };
}
