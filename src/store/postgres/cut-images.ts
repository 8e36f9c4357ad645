// Cuts images out of the lines of a log, so that they are stored as bytes in their own table, and inserts them again.

export interface CutLine {
  /** The line with a marker at the place of each image. */
  readonly line: Buffer;
  /** In the order of their markers. */
  readonly images: readonly Buffer[];
}

/** A shorter image is not worth a row. */
const MIN_BASE64_LENGTH = 8192;
const IMAGE_DATA = new RegExp(`"data":"([A-Za-z0-9+/]{${MIN_BASE64_LENGTH},}={0,2})"`, 'g');
const FIELD = Buffer.from('"data":"');
/** JSON never contains this byte. Lines that do contain it are damaged, and are stored unchanged. */
const MARKER = 0;

/** Only text that is encoded in exactly the same way again is cut out, so that the line stays the same, byte by byte. */
export function cutImages(line: Buffer): CutLine {
  if (line.length < MIN_BASE64_LENGTH || line.includes(MARKER) || !line.includes(FIELD)) return { line, images: [] };
  const text = line.toString('latin1');
  const images: Buffer[] = [];
  const parts: Buffer[] = [];
  let copied = 0;
  for (const match of text.matchAll(IMAGE_DATA)) {
    const base64 = match[1] as string;
    const image = Buffer.from(base64, 'base64');
    if (image.toString('base64') !== base64) continue;
    const start = match.index + FIELD.length;
    parts.push(line.subarray(copied, start), Buffer.of(MARKER));
    copied = start + base64.length;
    images.push(image);
  }
  return images.length === 0 ? { line, images } : { line: Buffer.concat([...parts, line.subarray(copied)]), images };
}

/** Throws when there are fewer images than markers. */
export function insertImages(line: Buffer, images: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  let copied = 0;
  for (let at = line.indexOf(MARKER); at >= 0; at = line.indexOf(MARKER, copied)) {
    const image = images[parts.length / 2];
    if (!image) throw new Error('an image of the line is missing');
    parts.push(line.subarray(copied, at), Buffer.from(image.toString('base64')));
    copied = at + 1;
  }
  return Buffer.concat([...parts, line.subarray(copied)]);
}
