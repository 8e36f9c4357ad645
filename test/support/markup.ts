// Renders markdown and code in the thread of the test, where nothing hostile waits.
import type { RenderMarkup } from '../../src/contracts/index.ts';
import { createRenderers } from '../../src/core/export/markdown.ts';

export const renderHere: RenderMarkup = async (texts) => {
  const render = await createRenderers();
  return texts.map(({ kind, text, language }) =>
    kind === 'markdown' ? render.markdown(text) : render.code(text, language),
  );
};
