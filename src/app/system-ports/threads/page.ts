// Worker thread that renders markdown and code for exported pages. A separate file in the bundle.
import { parentPort } from 'node:worker_threads';
import type { Markup } from '../../../contracts/markup.ts';
import { createMarkupRenderers } from '../../../core/export/markup-renderers.ts';

/** First `ready`, when the parsers are loaded. Then one message for each text, in order. */
export type MarkupThreadMessage = 'ready' | { readonly html: string | undefined };

const post = (message: MarkupThreadMessage) => parentPort?.postMessage(message);

void createMarkupRenderers().then((render) => {
  parentPort?.on('message', (texts: readonly Markup[]) => {
    for (const { kind, text, language } of texts) {
      post({ html: kind === 'markdown' ? render.markdown(text) : render.code(text, language) });
    }
  });
  post('ready');
});
