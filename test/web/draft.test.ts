// Prompts that the user has begun to write.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clearDraft, type DraftImage, getDraft, prependDraft, setDraft } from '../../web/src/prompt/draft.ts';

const image = (id: number): DraftImage => ({ id, mimeType: 'image/png', data: 'AA==', name: `${id}.png` });

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

test('a prompt that was refused comes before what was written and pasted meanwhile', () => {
  setDraft('s', { text: 'refused', images: [image(1)] });
  const refused = getDraft('s');
  clearDraft('s');
  setDraft('s', { text: 'written since', images: [image(2)] });
  prependDraft('s', refused);
  expect(getDraft('s')).toEqual({ text: 'refused\n\nwritten since', images: [image(1), image(2)] });
});

test('without other text it is restored as it was', () => {
  clearDraft('s');
  prependDraft('s', { text: 'refused', images: [] });
  expect(getDraft('s')).toEqual({ text: 'refused', images: [] });
});
