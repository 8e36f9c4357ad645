// First floor, llm: images as the AI SDK's prompts hold them. Pure; which types a model reads is said elsewhere.
import type { ImageContent } from '../../../protocol/index.ts';

/** Bytes that can be sent, or why they cannot. */
export type Shown = { data: string; mediaType: string } | { leftOut: string };

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

/** What cannot be sent becomes a note: a refusal would come back with every later request of the session. */
export function shown(image: ImageContent, readable: readonly string[]): Shown {
  if ('data' in image) return inline(image.mimeType, image.data, readable);
  const [, mediaType, data] = DATA_URL.exec(image.source.url) ?? [];
  if (mediaType !== undefined && data !== undefined) return inline(mediaType, data, readable);
  return leftOut('this model sees only images that are sent along');
}

function inline(mimeType: string, data: string, readable: readonly string[]): Shown {
  const mediaType = mimeType.toLowerCase().replace(/^image\/jpg$/, 'image/jpeg');
  if (data === '') return leftOut('it is empty');
  return readable.includes(mediaType) ? { data, mediaType } : leftOut(`this model does not read ${mimeType}`);
}

function leftOut(reason: string): Shown {
  return { leftOut: `[An image was left out: ${reason}.]` };
}
