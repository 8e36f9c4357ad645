// Renders markdown as safe HTML: raw HTML is escaped, code is highlighted, link URLs are checked.
// Must run in a thread that can be terminated: some texts take minutes.
import { escapeHtml, escapeProse, renderLink } from './escape.ts';
import type { MarkupRenderers } from './markup-batch.ts';

const MAX_HIGHLIGHT_LENGTH = 50_000;
const MAX_PROSE_LENGTH = 200_000;

export async function createMarkupRenderers(): Promise<MarkupRenderers> {
  const [{ Marked }, { default: highlighter }] = await Promise.all([
    import('marked'),
    import('highlight.js/lib/common'),
  ]);
  const code = (text: string, language: string | undefined): string => {
    if (text.length > MAX_HIGHLIGHT_LENGTH || !language || !highlighter.getLanguage(language)) return escapeHtml(text);
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
        return renderLink(href, this.parser.parseInline(tokens));
      },
      // Remote images would reveal the reader of the page to the image server, so they become links.
      image: ({ href, text }) => renderLink(href, `[${escapeHtml(text || 'image')}]`),
    },
  });
  return {
    code,
    markdown(text) {
      try {
        if (text.length <= MAX_PROSE_LENGTH) return marked.parse(text) as string;
      } catch {
        // Nesting overflowed the stack: show the source text.
      }
      return `<pre><code>${escapeHtml(text)}</code></pre>`;
    },
  };
}
