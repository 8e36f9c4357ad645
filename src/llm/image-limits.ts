// Size limits of images per provider.
import type { Model } from '../protocol/index.ts';

interface ImageLimits {
  /** Characters of base64. */
  readonly characters: number;
  /** Limit for width and for height. */
  readonly pixels: number;
}

const MIB = 1024 * 1024;
/** Same limits on Anthropic, Bedrock and Vertex. */
const CLAUDE_LIMITS: ImageLimits = { characters: 5 * MIB, pixels: 8000 };
/** Most providers limit the whole request to 20 MB or more. */
const DEFAULT_LIMITS: ImageLimits = { characters: 20 * MIB, pixels: Number.POSITIVE_INFINITY };

/** Bytes to search for the frame header of a JPEG; metadata before it can be large. */
const HEAD_BYTES = 256 * 1024;

/** Describes why the provider would reject the image, as a continuation of "the image" or "it". */
export function findImageProblem(model: Model, { data }: { data: string }): string | undefined {
  const limits = model.api === 'anthropic-messages' || /claude/i.test(model.id) ? CLAUDE_LIMITS : DEFAULT_LIMITS;
  const name = `${model.provider}/${model.id}`;
  if (data.length > limits.characters) {
    const size = (data.length / MIB).toFixed(1);
    return `has ${size} MiB in base64, and ${name} takes at most ${limits.characters / MIB} MiB`;
  }
  if (limits.pixels === Number.POSITIVE_INFINITY) return undefined;
  const longest = readLongestSide(Buffer.from(data.slice(0, Math.ceil(HEAD_BYTES / 3) * 4), 'base64'));
  if (longest === undefined || longest <= limits.pixels) return undefined;
  return `has a side of ${longest} pixels, and ${name} takes at most ${limits.pixels}`;
}

/** `undefined` when the first bytes do not contain the size. */
function readLongestSide(bytes: Buffer): number | undefined {
  const [first] = bytes;
  if (first === 0x89 && bytes.length >= 24) return Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
  if (first === 0x47 && bytes.length >= 10) return Math.max(bytes.readUInt16LE(6), bytes.readUInt16LE(8));
  if (first === 0xff) return readJpegLongestSide(bytes);
  return first === 0x52 ? readWebpLongestSide(bytes) : undefined;
}

function readJpegLongestSide(bytes: Buffer): number | undefined {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    // SOF markers. 0xc4, 0xc8 and 0xcc lie in the same range but are tables and extensions.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return Math.max(bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7));
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function readWebpLongestSide(bytes: Buffer): number | undefined {
  if (bytes.length < 30) return undefined;
  const chunkType = bytes.toString('latin1', 12, 16);
  if (chunkType === 'VP8X') return Math.max(bytes.readUIntLE(24, 3), bytes.readUIntLE(27, 3)) + 1;
  if (chunkType === 'VP8 ') return Math.max(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
  if (chunkType !== 'VP8L') return undefined;
  const bits = bytes.readUInt32LE(21);
  return Math.max(bits & 0x3fff, (bits >>> 14) & 0x3fff) + 1;
}
