// The prompts that the user has begun to write, for each session. Kept when the page is loaded again.
import { signal } from '@preact/signals';

export interface DraftImage {
  readonly id: number;
  readonly mimeType: string;
  /** base64. */
  readonly data: string;
  readonly name: string;
}

export interface Draft {
  readonly text: string;
  readonly images: readonly DraftImage[];
}

const EMPTY: Draft = { text: '', images: [] };

/** By session id. Images are not stored in the browser: they are too large. */
const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

export function getDraft(sessionId: string): Draft {
  return drafts.value.get(sessionId) ?? { ...EMPTY, text: sessionStorage.getItem(`draft.${sessionId}`) ?? '' };
}

export function setDraft(sessionId: string, change: Partial<Draft>): void {
  const next = { ...getDraft(sessionId), ...change };
  drafts.value = new Map(drafts.value).set(sessionId, next);
  if (next.text === '') sessionStorage.removeItem(`draft.${sessionId}`);
  else sessionStorage.setItem(`draft.${sessionId}`, next.text.slice(0, 100_000));
}

/** Puts a prompt before what the user has written and pasted, for example one that was refused meanwhile. */
export function prependDraft(sessionId: string, { text, images }: Draft): void {
  const current = getDraft(sessionId);
  const texts = [text, current.text].filter((part) => part !== '');
  setDraft(sessionId, { text: texts.join('\n\n'), images: [...images, ...current.images] });
}

export function clearDraft(sessionId: string): void {
  setDraft(sessionId, EMPTY);
}

let imageCount = 0;

/** The types that models accept. */
export const DRAFT_IMAGE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Reads pasted or dropped images. Other files are left out. */
export async function readImages(files: readonly File[]): Promise<DraftImage[]> {
  const images = files.filter(({ type }) => DRAFT_IMAGE_TYPES.includes(type));
  return Promise.all(
    images.map(async (file) => {
      const bytes = new Uint8Array(await file.arrayBuffer());
      return { id: ++imageCount, mimeType: file.type, data: toBase64(bytes), name: file.name };
    }),
  );
}

/** In parts, because the number of arguments of a call is limited. */
function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
