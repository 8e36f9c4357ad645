// The markdown and the code of one page: collected first, rendered together, then put in their places.
import type { Markup, RenderMarkup } from '../../contracts/index.ts';
import { escapeHtml } from './escape.ts';

/** Both give safe HTML. */
export interface Renderers {
  markdown(text: string): string;
  /** Code in this language; as it is when the language is not known. */
  code(text: string, language: string | undefined): string;
}

export class MarkupTexts implements Renderers {
  readonly #texts = new Map<string, Markup>();
  readonly #rendered = new Map<string, string>();

  markdown(text: string): string {
    return this.#html({ kind: 'markdown', text }) ?? `<pre><code>${escapeHtml(text)}</code></pre>`;
  }

  code(text: string, language: string | undefined): string {
    return this.#html({ kind: 'code', text, language }) ?? escapeHtml(text);
  }

  /** Everything that was asked for so far. What cannot be rendered stays plain. */
  async renderAll(render: RenderMarkup): Promise<void> {
    const keys = [...this.#texts.keys()];
    const rendered = await render([...this.#texts.values()]);
    for (const [at, key] of keys.entries()) {
      const html = rendered[at];
      if (html !== undefined) this.#rendered.set(key, html);
    }
  }

  #html(markup: Markup): string | undefined {
    // A log may hold anything in the place of a text.
    if (typeof markup.text !== 'string') return undefined;
    const key = `${markup.kind} ${markup.language ?? ''}\n${markup.text}`;
    this.#texts.set(key, markup);
    return this.#rendered.get(key);
  }
}
