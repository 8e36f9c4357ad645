// Checks the images of a message before it becomes part of the conversation. Loaded with the first image.
import { Fault } from '../../base/index.ts';
import type { Models, UserInput } from '../../contracts/index.ts';
import type { Attachment, ImageContent, Model } from '../../protocol/index.ts';
import { checkedImage, noteFor } from '../context/images.ts';

/** The model that will read them, when there is one: providers have limits of their own. */
interface Reader {
  model: Model | null;
  models: Pick<Models, 'imageProblem'>;
}

type Checked = { image: ImageContent } | { problem: string };

/** Refuses the message when an image of it cannot be read, and names the field. */
export async function expectImages<T extends UserInput>(input: T, reader: Reader): Promise<T> {
  const refuse = (field: string, problem: string) =>
    new Fault('invalid_params', `${field} ${problem}. Send a PNG, JPEG, GIF or WebP image in base64.`);
  const images = await Promise.all(
    (input.images ?? []).map(async (image, index) => {
      const checked = await check(image, reader);
      if ('image' in checked) return checked.image;
      throw refuse(`images[${index}].${'data' in image ? 'data' : 'source.url'}`, checked.problem);
    }),
  );
  const attachments = await Promise.all(
    (input.attachments ?? []).map(async (attachment, index): Promise<Attachment> => {
      if (attachment.type !== 'image') return attachment;
      const { content: data, mimeType } = attachment;
      const checked = await check({ type: 'image', data, mimeType }, reader);
      if ('problem' in checked) throw refuse(`attachments[${index}].content`, checked.problem);
      return 'data' in checked.image
        ? { ...attachment, content: checked.image.data, mimeType: checked.image.mimeType }
        : attachment;
    }),
  );
  return { ...input, ...(input.images ? { images } : {}), ...(input.attachments ? { attachments } : {}) };
}

/** For images that code put into a message: those that cannot be read become notes in its text. */
export async function withoutUnreadable<T extends UserInput>(input: T, reader: Reader): Promise<T> {
  const checked = await Promise.all((input.images ?? []).map((image) => check(image, reader)));
  const images = checked.flatMap((one) => ('image' in one ? [one.image] : []));
  const notes = checked.flatMap((one) => ('problem' in one ? [noteFor(one.problem).text] : []));
  const message = [input.message, ...notes].filter((text) => text !== '').join('\n\n');
  return { ...input, message, images };
}

async function check(image: ImageContent, { model, models }: Reader): Promise<Checked> {
  const read = checkedImage(image);
  if ('problem' in read) return read;
  const problem = 'data' in read && model ? await models.imageProblem?.(model, read) : undefined;
  return problem === undefined ? { image: read } : { problem };
}
