// Converts images to file parts of the AI SDK.
import type { ImageContent } from '../../../protocol/index.ts';

/** The image data, or a note why it is left out. */
export type SdkImage = { data: string; mediaType: string } | { omissionNote: string };

const DATA_URL = /^data:([^;,]+);base64,(.*)$/s;

/** An unsupported image becomes a note, because the provider would reject every later request of the session. */
export function toSdkImage(image: ImageContent, acceptedTypes: readonly string[]): SdkImage {
  if ('data' in image) return toInlineImage(image.mimeType, image.data, acceptedTypes);
  const [, mediaType, data] = DATA_URL.exec(image.source.url) ?? [];
  if (mediaType !== undefined && data !== undefined) return toInlineImage(mediaType, data, acceptedTypes);
  return createOmissionNote('this model accepts only inline images');
}

function toInlineImage(mimeType: string, data: string, acceptedTypes: readonly string[]): SdkImage {
  const mediaType = mimeType.toLowerCase().replace(/^image\/jpg$/, 'image/jpeg');
  if (data === '') return createOmissionNote('it is empty');
  return acceptedTypes.includes(mediaType)
    ? { data, mediaType }
    : createOmissionNote(`this model does not read ${mimeType}`);
}

function createOmissionNote(reason: string): SdkImage {
  return { omissionNote: `[An image was left out: ${reason}.]` };
}
