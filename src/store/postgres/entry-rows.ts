// Converts lines of a log to rows of the database and back.
import type { SqlConnection } from '../../contracts/database.ts';
import type { ContentCipher } from './content-cipher.ts';
import { cutImages, insertImages } from './cut-images.ts';

export interface SessionKey {
  readonly tenant: string;
  readonly id: string;
}

/** A line as it is stored. */
export interface EncodedLine {
  readonly body: Uint8Array;
  /** Of the line with its line end. */
  readonly length: number;
  readonly images: readonly EncodedImage[];
}

interface EncodedImage {
  readonly hash: string;
  readonly content: Uint8Array;
}

export interface EntryRow {
  readonly position: number;
  readonly length: number;
  readonly body: Uint8Array;
  readonly bodyKey: string | null;
  readonly imageHashes: readonly string[] | null;
}

interface ImageRow {
  readonly hash: string;
  readonly content: Uint8Array;
  readonly contentKey: string | null;
}

/** `line` includes its line end, if it has one. */
export function encodeLine(
  cipher: ContentCipher,
  { tenant, id }: SessionKey,
  position: number,
  line: Buffer,
): EncodedLine {
  const cut = cutImages(line);
  return {
    body: cipher.encrypt(cut.line, getLinePlace({ tenant, id }, position)),
    length: line.length,
    images: cut.images.map((image) => {
      const hash = cipher.hash(image);
      return { hash, content: cipher.encrypt(image, getImagePlace({ tenant, id }, hash)) };
    }),
  };
}

/** Returns the lines of the rows, joined. */
export async function decodeLines(
  connection: SqlConnection,
  cipher: ContentCipher,
  session: SessionKey,
  rows: readonly EntryRow[],
): Promise<Buffer> {
  const hashes = [...new Set(rows.flatMap(({ imageHashes }) => imageHashes ?? []))];
  const images =
    hashes.length === 0 ? new Map<string, Buffer>() : await readImages(connection, cipher, session, hashes);
  const lines = rows.map(({ position, body, bodyKey, imageHashes }) => {
    const line = cipher.decrypt({ bytes: body, keyId: bodyKey }, getLinePlace(session, position));
    if (!imageHashes) return line;
    return insertImages(
      line,
      imageHashes.flatMap((hash) => images.get(hash) ?? []),
    );
  });
  return Buffer.concat(lines);
}

async function readImages(
  connection: SqlConnection,
  cipher: ContentCipher,
  session: SessionKey,
  hashes: readonly string[],
): Promise<Map<string, Buffer>> {
  const rows = await connection.query<ImageRow>(
    'select hash, content, content_key as "contentKey" from parley.images where tenant = $1 and session = $2 and hash = any($3)',
    [session.tenant, session.id, hashes],
  );
  return new Map(
    rows.map(({ hash, content, contentKey }) => [
      hash,
      cipher.decrypt({ bytes: content, keyId: contentKey }, getImagePlace(session, hash)),
    ]),
  );
}

export function getLinePlace({ tenant, id }: SessionKey, position: number): string {
  return JSON.stringify(['entry', tenant, id, position]);
}

export function getImagePlace({ tenant, id }: SessionKey, hash: string): string {
  return JSON.stringify(['image', tenant, id, hash]);
}
