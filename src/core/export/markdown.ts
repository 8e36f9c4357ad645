// Markdown as safe HTML. Raw HTML in the text stays text; code is highlighted; links are checked.
// Only for a thread that can be ended: some texts take minutes.
import { escapeHtml, escapeProse, linked } from './escape.ts';
import type { Renderers } from './markup-texts.ts';

const LONGEST_HIGHLIGHT = 50_000;
const LONGEST_PROSE = 200_000;

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
        return 'tokens' in token && token.tokens ? this.parser.parseInline(token.tokens) : escapeProse(token.text);
      },
      link({ href, tokens }) {
        return linked(href, this.parser.parseInline(tokens));
      },
      // A page that fetched pictures would tell their hosts who reads it.
      image: ({ href, text }) => linked(href, `[${escapeHtml(text || 'image')}]`),
    },
  });
  return {
    code,
    markdown(text) {
      try {
        if (text.length <= LONGEST_PROSE) return marked.parse(text) as string;
      } catch {
        // Nested deeper than the stack: shown as it was written.
      }
      return `<pre><code>${escapeHtml(text)}</code></pre>`;
    },
  };
}
