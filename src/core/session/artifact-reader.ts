// Lists and reads the artifacts of a session for hosts. Loaded with the first use.
import { Fault } from '../../base/index.ts';
import type { ArtifactPart, ArtifactReader, Files, StoredArtifact } from '../../contracts/index.ts';

/** Escaped as JSON, a part is still about as long as one frame. */
const MAX_PART_BYTES = 256 * 1024;
/** An artifact is named by its number and its tool. */
const ARTIFACT_NAME = /^(\d+)\.([\w-]*)\.log$/;
/** A character of UTF-8 has at most this many bytes. */
const MAX_CHARACTER_BYTES = 4;

/** `directory` is absent if nothing was stored. */
export function createArtifactReader(files: Files, directory: string | undefined): ArtifactReader {
  return {
    list: () => listArtifacts(files, directory),
    async read(id, { offset = 0, limit = MAX_PART_BYTES } = {}) {
      const artifact = (await listArtifacts(files, directory)).find((stored) => stored.id === id);
      if (!artifact)
        throw new Fault('not_found', `No artifact has the id ${id}. Call list_artifacts for the artifacts.`);
      return readPart(files, artifact, offset, Math.min(limit, MAX_PART_BYTES));
    },
  };
}

/** Oldest first. Only files: a link may lead to any file. */
async function listArtifacts(files: Files, directory: string | undefined): Promise<StoredArtifact[]> {
  const listed = directory === undefined ? [] : await files.list(directory).catch(() => []);
  const found = await Promise.all(
    listed.map(async ({ name, kind }) => {
      const [, id, toolName] = ARTIFACT_NAME.exec(name) ?? [];
      if (kind !== 'file' || id === undefined || toolName === undefined) return [];
      const path = `${directory}/${name}`;
      const info = await files.info(path, { follow: false });
      return info?.kind === 'file' ? [{ id, toolName, bytes: info.size, createdMs: info.modifiedMs, path }] : [];
    }),
  );
  return found.flat().sort((one, other) => Number(one.id) - Number(other.id));
}

async function readPart(
  files: Files,
  { path, bytes: totalBytes }: StoredArtifact,
  offset: number,
  limit: number,
): Promise<ArtifactPart> {
  const bytes = await files.read(path, { start: offset, length: limit });
  const isEnd = offset + bytes.length >= totalBytes;
  const text = decodeText(bytes, isEnd);
  const readBytes = text?.byteLength ?? bytes.length;
  const next = offset + readBytes;
  return {
    ...(text ? { text: text.text } : { base64: Buffer.from(bytes).toString('base64') }),
    totalBytes,
    ...(next < totalBytes && readBytes > 0 ? { nextOffset: next } : {}),
  };
}

/** Without an incomplete character at the end, which is part of the next part. `undefined` if it is not UTF-8 text. */
function decodeText(bytes: Uint8Array, isEnd: boolean): { text: string; byteLength: number } | undefined {
  if (bytes.includes(0)) return undefined;
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const shortest = isEnd ? bytes.length : Math.max(1, bytes.length - MAX_CHARACTER_BYTES + 1);
  for (let byteLength = bytes.length; byteLength >= shortest; byteLength -= 1) {
    try {
      return { text: decoder.decode(bytes.subarray(0, byteLength)), byteLength };
    } catch {
      // Ends within a character, or is not text.
    }
  }
  return bytes.length === 0 ? { text: '', byteLength: 0 } : undefined;
}
