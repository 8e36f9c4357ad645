// Collects the markdown and code of a page, so that all of it is rendered in one batch.
import type { Markup, RenderMarkup } from '../../contracts/index.ts';
import { escapeHtml } from './escape.ts';

/** Both return escaped HTML. */
export interface MarkupRenderers {
  markdown(text: string): string;
  /** Highlights code. Without highlighting if the language is unknown. */
  code(text: string, language: string | undefined): string;
}

export class MarkupBatch implements MarkupRenderers {
  readonly #pending = new Map<string, Markup>();
  readonly #rendered = new Map<string, string>();

  markdown(text: string): string {
    return this.#getHtml({ kind: 'markdown', text }) ?? `<pre><code>${escapeHtml(text)}</code></pre>`;
  }

  code(text: string, language: string | undefined): string {
    return this.#getHtml({ kind: 'code', text, language }) ?? escapeHtml(text);
  }

  /** Renders everything that was requested so far. Texts that cannot be rendered stay plain text. */
  async renderAll(render: RenderMarkup): Promise<void> {
    const keys = [...this.#pending.keys()];
    const rendered = await render([...this.#pending.values()]);
    for (const [at, key] of keys.entries()) {
      const html = rendered[at];
      if (html !== undefined) this.#rendered.set(key, html);
    }
  }

  #getHtml(markup: Markup): string | undefined {
    // A log may contain any type instead of a string.
    if (typeof markup.text !== 'string') return undefined;
    const key = `${markup.kind} ${markup.language ?? ''}\n${markup.text}`;
    this.#pending.set(key, markup);
    return this.#rendered.get(key);
  }
}
