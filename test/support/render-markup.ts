// Renders Markdown and code in the thread of the test instead of a worker thread.
import type { RenderMarkup } from '../../src/contracts/index.ts';
import { createMarkupRenderers } from '../../src/core/export/markup-renderers.ts';

export const renderInTestThread: RenderMarkup = async (texts) => {
  const render = await createMarkupRenderers();
  return texts.map(({ kind, text, language }) =>
    kind === 'markdown' ? render.markdown(text) : render.code(text, language),
  );
};
