// First floor, core: files that a prompt mentions with @. What is there is added to the message; what is not stays text.
import { isAbsolute, join } from 'node:path';
import { contentKind } from '../../base/index.ts';
import type { Files } from '../../contracts/index.ts';
import type { ImageContent } from '../../protocol/index.ts';
import { resolveInside } from './own-files.ts';

type Reading = Pick<Files, 'info' | 'read' | 'resolve'>;

/** At the beginning or behind a space or a bracket, so that an address is no mention; quoted when it holds spaces. */
const MENTION = /(?:^|[\s([{<,;])@(?:"([^"\n]+)"|([^\s"'`<>|]+))/g;
const MOST_MENTIONS = 20;
const MOST_TEXT_BYTES = 50 * 1024;
const MOST_LINES = 2000;
const MOST_IMAGE_BYTES = 5 * 1024 * 1024;

export interface Mentioned {
  readonly text: string;
  readonly images: readonly ImageContent[];
}

/** `undefined` when nothing that is mentioned can be added. */
export async function addMentions(files: Reading, cwd: string, message: string): Promise<Mentioned | undefined> {
  const root = await files.resolve(cwd);
  const blocks: string[] = [];
  const images: ImageContent[] = [];
  for (const name of mentionedIn(message)) {
    const added = await readMention(files, root, name).catch(() => undefined);
    if (added?.text) blocks.push(added.text);
    if (added?.image) images.push(added.image);
  }
  return blocks.length === 0 ? undefined : { text: [message, ...blocks].join('\n\n'), images };
}

/** Every spelling that could be meant: a sentence may end right behind the name. */
function mentionedIn(message: string): string[][] {
  const found = new Map<string, string[]>();
  for (const [, quoted, plain = ''] of message.matchAll(MENTION)) {
    const spellings = quoted === undefined ? [plain, plain.replace(/(?<![.,;:!?)\]}])[.,;:!?)\]}]+$/, '')] : [quoted];
    if (found.size < MOST_MENTIONS) found.set(spellings[0] ?? '', spellings);
  }
  return [...found.values()];
}

async function readMention(
  files: Reading,
  root: string,
  spellings: readonly string[],
): Promise<{ text: string; image?: ImageContent } | undefined> {
  for (const name of spellings) {
    // Outside the project the model may look for itself: words that others wrote must not fetch from there.
    const path = await resolveInside(files, root, isAbsolute(name) ? name : join(root, name));
    if (path === undefined) continue;
    const info = await files.info(path);
    if (info?.kind === 'file') return added(files, path, name, info.size);
  }
  return undefined;
}

async function added(
  files: Reading,
  path: string,
  name: string,
  size: number,
): Promise<{ text: string; image?: ImageContent } | undefined> {
  const head = await files.read(path, { length: MOST_TEXT_BYTES });
  const kind = contentKind(head);
  if (kind.kind === 'text') return { text: `<file name="${name}">\n${bounded(head, size)}\n</file>` };
  if (kind.kind !== 'image' || size > MOST_IMAGE_BYTES) return undefined;
  const bytes = size > head.length ? await files.read(path, { length: MOST_IMAGE_BYTES }) : head;
  return {
    text: `<file name="${name}">(an image, attached)</file>`,
    image: { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: kind.mimeType },
  };
}

function bounded(head: Uint8Array, size: number): string {
  // The last character may be cut in two.
  const text = new TextDecoder().decode(head, { stream: size > head.length });
  const lines = text.split('\n');
  const shown = lines.slice(0, MOST_LINES);
  if (size <= head.length && shown.length === lines.length) return text.replace(/\n$/, '');
  return `${shown.join('\n')}\n[The file goes on: ${size} bytes in all. Read the rest with the read tool.]`;
}
