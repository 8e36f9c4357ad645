// Names of stored files that are not in the directory of an open session. They belong to a session that was imported.
// No path in a directory begins with a slash, so these names do.

/** The name of the session file. */
export const FILE_NAME = '/file-name';
/** Images that oh-my-pi stores outside of the log. Followed by their hash. */
export const BLOBS = '/blobs/';
/** Backups of the session file from before migrations. Followed by the end of their names. */
export const BACKUPS = '/backups/';

const BLOB_REFERENCE = /blob:sha256:([0-9a-f]{64})/g;
const BLOB_SCHEME = Buffer.from('blob:sha256:');
export const BLOB_HASH = /^[0-9a-f]{64}$/;

/** The hashes of the images to which lines refer. */
export function findBlobHashes(bytes: Buffer): string[] {
  if (!bytes.includes(BLOB_SCHEME)) return [];
  return [...bytes.toString('latin1').matchAll(BLOB_REFERENCE)].map(([, hash]) => hash as string);
}
