// Replaces images that no provider accepts by text. Otherwise the provider would refuse every later request too.
import { parseBase64Image } from '../../base/base64-image.ts';
import type { ImageContent, TextContent } from '../../protocol/index.ts';

type Block = TextContent | ImageContent;

/** Cache: every request checks the whole history again, and the block objects stay the same. */
const readableBlocks = new WeakMap<ImageContent, Block>();

/** Returns the same array if nothing has to be replaced. */
export function replaceUnreadableImages<C extends readonly Block[]>(content: C): C | Block[] {
  const blocks = content.map((block) => (block.type === 'image' ? toReadableBlock(block) : block));
  return blocks.every((block, index) => block === content[index]) ? content : blocks;
}

/** Returns the image in the format that providers accept, or its problem. Images behind http(s) URLs are not checked. */
export function checkImage(image: ImageContent): ImageContent | { problem: string } {
  const { data, url } = 'data' in image ? { data: image.data, url: '' } : { data: undefined, url: image.source.url };
  if (data === undefined && !/^\s*data:/i.test(url)) {
    return /^https?:\/\//i.test(url) ? image : { problem: 'is not an http or https address' };
  }
  const parsed = parseBase64Image(data ?? url);
  if ('problem' in parsed) return parsed;
  const isSame = 'data' in image && image.data === parsed.data && image.mimeType === parsed.mimeType;
  return isSame ? image : { type: 'image', ...parsed };
}

export function createOmissionNote(problem: string): TextContent {
  return { type: 'text', text: `[An image was left out: it ${problem}.]` };
}

function toReadableBlock(image: ImageContent): Block {
  const cached = readableBlocks.get(image);
  if (cached) return cached;
  const checked = checkImage(image);
  const block = 'problem' in checked ? createOmissionNote(checked.problem) : checked;
  readableBlocks.set(image, block);
  return block;
}
