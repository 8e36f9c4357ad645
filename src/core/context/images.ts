// Images of a conversation that no provider would read become notes, because a refusal would repeat with every later request.
import { readImage } from '../../base/image-data.ts';
import type { ImageContent, TextContent } from '../../protocol/index.ts';

type Block = TextContent | ImageContent;

/** Histories are read again with every request; their blocks stay the same objects. */
const known = new WeakMap<ImageContent, Block>();

/** The same list when every image in it is readable as it stands. */
export function readableContent<C extends readonly Block[]>(content: C): C | Block[] {
  const blocks = content.map((block) => (block.type === 'image' ? readable(block) : block));
  return blocks.every((block, index) => block === content[index]) ? content : blocks;
}

/** The image in the spelling that providers accept, or what is wrong with it. An address is left to the provider. */
export function checkedImage(image: ImageContent): ImageContent | { problem: string } {
  const { data, url } = 'data' in image ? { data: image.data, url: '' } : { data: undefined, url: image.source.url };
  if (data === undefined && !/^\s*data:/i.test(url)) {
    return /^https?:\/\//i.test(url) ? image : { problem: 'is not an http or https address' };
  }
  const read = readImage(data ?? url);
  if ('problem' in read) return read;
  const isSame = 'data' in image && image.data === read.data && image.mimeType === read.mimeType;
  return isSame ? image : { type: 'image', ...read };
}

export function noteFor(problem: string): TextContent {
  return { type: 'text', text: `[An image was left out: it ${problem}.]` };
}

function readable(image: ImageContent): Block {
  const before = known.get(image);
  if (before) return before;
  const checked = checkedImage(image);
  const block = 'problem' in checked ? noteFor(checked.problem) : checked;
  known.set(image, block);
  return block;
}
