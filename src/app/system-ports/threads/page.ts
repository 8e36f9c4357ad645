// Program of a worker thread: renders markdown and code for exported pages. It is a file of its own in the bundle.
import { parentPort } from 'node:worker_threads';
import type { Markup } from '../../../contracts/markup.ts';
import { createRenderers } from '../../../core/export/markdown.ts';

/** One for each text, in order; `ready` comes first, when the parsers are loaded. */
export type PageThreadAnswer = 'ready' | { readonly html: string | undefined };

const answer = (said: PageThreadAnswer) => parentPort?.postMessage(said);

void createRenderers().then((render) => {
  parentPort?.on('message', (texts: readonly Markup[]) => {
    for (const { kind, text, language } of texts) {
      answer({ html: kind === 'markdown' ? render.markdown(text) : render.code(text, language) });
    }
  });
  answer('ready');
});
