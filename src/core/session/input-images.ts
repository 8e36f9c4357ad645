// Checks the images of a message before it is added to the conversation. Loaded with the first image.
import { Fault } from '../../base/index.ts';
import type { ModelRegistry, UserInput } from '../../contracts/index.ts';
import type { Attachment, ImageContent, Model } from '../../protocol/index.ts';
import { checkImage, createOmissionNote } from '../context/images.ts';

/** The model is needed because each provider has its own image limits. */
interface ImageCheckOptions {
  model: Model | null;
  models: Pick<ModelRegistry, 'checkImage'>;
}

type ImageCheckResult = { image: ImageContent } | { problem: string };

/** Throws if an image cannot be read. The error names the field. */
export async function validateImages<T extends UserInput>(input: T, options: ImageCheckOptions): Promise<T> {
  const createFault = (field: string, problem: string) =>
    new Fault('invalid_params', `${field} ${problem}. Send a PNG, JPEG, GIF or WebP image in base64.`);
  const images = await Promise.all(
    (input.images ?? []).map(async (image, index) => {
      const checked = await checkInputImage(image, options);
      if ('image' in checked) return checked.image;
      throw createFault(`images[${index}].${'data' in image ? 'data' : 'source.url'}`, checked.problem);
    }),
  );
  const attachments = await Promise.all(
    (input.attachments ?? []).map(async (attachment, index): Promise<Attachment> => {
      if (attachment.type !== 'image') return attachment;
      const { content: data, mimeType } = attachment;
      const checked = await checkInputImage({ type: 'image', data, mimeType }, options);
      if ('problem' in checked) throw createFault(`attachments[${index}].content`, checked.problem);
      return 'data' in checked.image
        ? { ...attachment, content: checked.image.data, mimeType: checked.image.mimeType }
        : attachment;
    }),
  );
  return { ...input, ...(input.images ? { images } : {}), ...(input.attachments ? { attachments } : {}) };
}

/** For images from extensions and hooks: an unreadable image is replaced by a note in the text. */
export async function replaceUnreadable<T extends UserInput>(input: T, options: ImageCheckOptions): Promise<T> {
  const checked = await Promise.all((input.images ?? []).map((image) => checkInputImage(image, options)));
  const images = checked.flatMap((result) => ('image' in result ? [result.image] : []));
  const notes = checked.flatMap((result) => ('problem' in result ? [createOmissionNote(result.problem).text] : []));
  const message = [input.message, ...notes].filter((text) => text !== '').join('\n\n');
  return { ...input, message, images };
}

async function checkInputImage(image: ImageContent, { model, models }: ImageCheckOptions): Promise<ImageCheckResult> {
  const checked = checkImage(image);
  if ('problem' in checked) return checked;
  const problem = 'data' in checked && model ? await models.checkImage?.(model, checked) : undefined;
  return problem === undefined ? { image: checked } : { problem };
}
