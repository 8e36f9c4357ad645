// Adds the contents of files mentioned with @ to the message. A mention of a missing file stays plain text.
import { isAbsolute, join } from 'node:path';
import { detectContentKind } from '../../base/index.ts';
import type { Files } from '../../contracts/index.ts';
import type { ImageContent } from '../../protocol/index.ts';
import { resolveInside } from '../../support/path-checks.ts';

type MentionFiles = Pick<Files, 'info' | 'read' | 'realPath'>;

/** At the start or after a space or a bracket, so that an email address is not a mention. Quoted when the path has spaces. */
const MENTION = /(?:^|[\s([{<,;])@(?:"([^"\n]+)"|([^\s"'`<>|]+))/g;
const MAX_MENTIONS = 20;
const MAX_TEXT_BYTES = 50 * 1024;
const MAX_LINES = 2000;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

export interface MentionResult {
  readonly text: string;
  readonly images: readonly ImageContent[];
}

/** `undefined` when no mentioned file can be added. */
export async function addMentions(
  files: MentionFiles,
  cwd: string,
  message: string,
): Promise<MentionResult | undefined> {
  const root = await files.realPath(cwd);
  const blocks: string[] = [];
  const images: ImageContent[] = [];
  for (const name of findMentions(message)) {
    const mention = await readMention(files, root, name).catch(() => undefined);
    if (mention?.text) blocks.push(mention.text);
    if (mention?.image) images.push(mention.image);
  }
  return blocks.length === 0 ? undefined : { text: [message, ...blocks].join('\n\n'), images };
}

/** Candidate paths of each mention: as written, and without trailing punctuation, which may belong to the sentence. */
function findMentions(message: string): string[][] {
  const found = new Map<string, string[]>();
  for (const [, quoted, unquoted = ''] of message.matchAll(MENTION)) {
    const candidates =
      quoted === undefined ? [unquoted, unquoted.replace(/(?<![.,;:!?)\]}])[.,;:!?)\]}]+$/, '')] : [quoted];
    if (found.size < MAX_MENTIONS) found.set(candidates[0] ?? '', candidates);
  }
  return [...found.values()];
}

async function readMention(
  files: MentionFiles,
  root: string,
  candidates: readonly string[],
): Promise<{ text: string; image?: ImageContent } | undefined> {
  for (const name of candidates) {
    // Only files inside the project are added: pasted text of another author must not be able to attach other files. The model can still read those.
    const path = await resolveInside(files, root, isAbsolute(name) ? name : join(root, name));
    if (path === undefined) continue;
    const info = await files.info(path);
    if (info?.kind === 'file') return loadMention(files, path, name, info.size);
  }
  return undefined;
}

async function loadMention(
  files: MentionFiles,
  path: string,
  name: string,
  size: number,
): Promise<{ text: string; image?: ImageContent } | undefined> {
  const head = await files.read(path, { length: MAX_TEXT_BYTES });
  const kind = detectContentKind(head);
  if (kind.kind === 'text') return { text: `<file name="${name}">\n${truncateText(head, size)}\n</file>` };
  if (kind.kind !== 'image' || size > MAX_IMAGE_BYTES) return undefined;
  const bytes = size > head.length ? await files.read(path, { length: MAX_IMAGE_BYTES }) : head;
  return {
    text: `<file name="${name}">(image attached)</file>`,
    image: { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: kind.mimeType },
  };
}

function truncateText(head: Uint8Array, size: number): string {
  // The end of `head` may split a character; `stream` drops the incomplete bytes.
  const text = new TextDecoder().decode(head, { stream: size > head.length });
  const lines = text.split('\n');
  const shown = lines.slice(0, MAX_LINES);
  if (size <= head.length && shown.length === lines.length) return text.replace(/\n$/, '');
  return `${shown.join('\n')}\n[Truncated: the file has ${size} bytes. Read the rest with the read tool.]`;
}
