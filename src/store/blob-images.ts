// Restores images that oh-my-pi stores outside of the session log and replaces by blob references.
import { isRecord } from '../base/json.ts';
import type { Files } from '../contracts/ports.ts';
import type { PathEntry } from '../contracts/session-store.ts';
import type { SessionEntry } from '../protocol/session-entry.ts';
import { getParentDirectory } from './session-paths.ts';

const BLOB_SCHEME = 'blob:sha256:';
const BLOB_REFERENCE = /^blob:sha256:([0-9a-f]{64})$/;

/** `<agent directory>/sessions/<folder>/<file>` has its images in `<agent directory>/blobs`. Only that directory is used. */
export function getBlobsDirectory(sessionFile: string): string {
  return `${getParentDirectory(getParentDirectory(getParentDirectory(sessionFile)))}/blobs`;
}

/** Does not parse an unread entry. */
export function hasImageReference(entry: PathEntry): boolean {
  return entry.type === 'unread'
    ? entry.containsText(BLOB_SCHEME)
    : (getContentBlocks(entry)?.some(isImageReference) ?? false);
}

/** Unread entries are returned unchanged. */
export async function loadImages<T extends PathEntry>(
  files: Files,
  sessionFile: string,
  entries: readonly T[],
): Promise<readonly T[]> {
  if (!entries.some((entry) => getContentBlocks(entry)?.some(isImageReference))) return entries;
  const folder = getBlobsDirectory(sessionFile);
  return Promise.all(entries.map((entry) => loadEntryImages(files, folder, entry)));
}

/** For logs without a blobs directory: every reference becomes a placeholder text. */
export function replaceMissingImages(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  return entries.map((entry) => {
    const blocks = getContentBlocks(entry);
    return blocks?.some(isImageReference)
      ? replaceContent(
          entry,
          blocks.map((block) => (isImageReference(block) ? MISSING_IMAGE : block)),
        )
      : entry;
  });
}

async function loadEntryImages<T extends PathEntry>(files: Files, folder: string, entry: T): Promise<T> {
  const blocks = getContentBlocks(entry);
  if (!blocks?.some(isImageReference)) return entry;
  const content = await Promise.all(
    blocks.map((block) => (isImageReference(block) ? loadImage(files, folder, block) : block)),
  );
  return replaceContent(entry, content);
}

function replaceContent<T extends PathEntry>(entry: T, content: readonly unknown[]): T {
  return entry.type === 'message' ? { ...entry, message: { ...entry.message, content } } : { ...entry, content };
}

/** A missing image becomes a placeholder text, because providers reject a blob reference as image data. */
async function loadImage(files: Files, folder: string, block: ImageReference): Promise<unknown> {
  const [, hash] = BLOB_REFERENCE.exec(block.data) as RegExpExecArray;
  const bytes = await files.read(`${folder}/${hash}`).catch(() => undefined);
  if (!bytes) return MISSING_IMAGE;
  return { ...block, data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') };
}

const MISSING_IMAGE = { type: 'text', text: '[image no longer available]' };

interface ImageReference {
  data: string;
}

function isImageReference(block: unknown): block is ImageReference {
  return isRecord(block) && block.type === 'image' && typeof block.data === 'string' && BLOB_REFERENCE.test(block.data);
}

function getContentBlocks(entry: PathEntry): readonly unknown[] | undefined {
  if (entry.type !== 'message' && entry.type !== 'custom_message') return undefined;
  const contentOwner: unknown = entry.type === 'message' ? entry.message : entry;
  return isRecord(contentOwner) && Array.isArray(contentOwner.content) ? contentOwner.content : undefined;
}
