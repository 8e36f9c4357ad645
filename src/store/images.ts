// The store's borrowed pictures: oh-my-pi keeps images beside its sessions and leaves only a mark in the log. Puts them back.
import { isRecord } from '../base/json.ts';
import type { Files } from '../contracts/ports.ts';
import type { EntryOnPath } from '../contracts/store.ts';
import type { SessionEntry } from '../protocol/entry.ts';
import { folderOf } from './places.ts';

const SCHEME = 'blob:sha256:';
const MARK = /^blob:sha256:([0-9a-f]{64})$/;

/** `<agent directory>/sessions/<folder>/<file>` has its pictures in `<agent directory>/blobs`. Nobody else's are touched. */
export function imagesFolder(sessionFile: string): string {
  return `${folderOf(folderOf(folderOf(sessionFile)))}/blobs`;
}

/** Without reading what nobody has read yet. */
export function mentionsImage(entry: EntryOnPath): boolean {
  return entry.type === 'unread' ? entry.mentions(SCHEME) : (blocksOf(entry)?.some(isMarked) ?? false);
}

/** What nobody has read yet has no pictures here. */
export async function withImages<T extends EntryOnPath>(
  files: Files,
  sessionFile: string,
  entries: readonly T[],
): Promise<readonly T[]> {
  if (!entries.some((entry) => blocksOf(entry)?.some(isMarked))) return entries;
  const folder = imagesFolder(sessionFile);
  return Promise.all(entries.map((entry) => restored(files, folder, entry)));
}

/** The same where there is no folder of pictures at all. */
export function withoutImages(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  return entries.map((entry) => {
    const blocks = blocksOf(entry);
    return blocks?.some(isMarked)
      ? refilled(
          entry,
          blocks.map((block) => (isMarked(block) ? GONE : block)),
        )
      : entry;
  });
}

async function restored<T extends EntryOnPath>(files: Files, folder: string, entry: T): Promise<T> {
  const blocks = blocksOf(entry);
  if (!blocks?.some(isMarked)) return entry;
  const content = await Promise.all(blocks.map((block) => (isMarked(block) ? image(files, folder, block) : block)));
  return refilled(entry, content);
}

function refilled<T extends EntryOnPath>(entry: T, content: readonly unknown[]): T {
  return entry.type === 'message' ? { ...entry, message: { ...entry.message, content } } : { ...entry, content };
}

/** A picture that is gone leaves a word in its place, because no provider takes a mark for a picture. */
async function image(files: Files, folder: string, block: MarkedImage): Promise<unknown> {
  const [, hash] = MARK.exec(block.data) as RegExpExecArray;
  const bytes = await files.read(`${folder}/${hash}`).catch(() => undefined);
  if (!bytes) return GONE;
  return { ...block, data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') };
}

const GONE = { type: 'text', text: '[image no longer available]' };

interface MarkedImage {
  data: string;
}

function isMarked(block: unknown): block is MarkedImage {
  return isRecord(block) && block.type === 'image' && typeof block.data === 'string' && MARK.test(block.data);
}

function blocksOf(entry: EntryOnPath): readonly unknown[] | undefined {
  if (entry.type !== 'message' && entry.type !== 'custom_message') return undefined;
  const held: unknown = entry.type === 'message' ? entry.message : entry;
  return isRecord(held) && Array.isArray(held.content) ? held.content : undefined;
}
