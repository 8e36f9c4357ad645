// Which images a model's provider refuses for their size. Pure.
import type { Model } from '../protocol/index.ts';

interface Limits {
  /** Characters of base64. */
  readonly characters: number;
  /** Width and height. */
  readonly pixels: number;
}

const MIB = 1024 * 1024;
/** Anthropic, Bedrock and Vertex alike. */
const CLAUDE: Limits = { characters: 5 * MIB, pixels: 8000 };
/** The common limit of a whole request is 20 MB and more. */
const OTHERS: Limits = { characters: 20 * MIB, pixels: Number.POSITIVE_INFINITY };

/** A JPEG may have this much before it says how large it is. */
const HEAD_BYTES = 256 * 1024;

/** What is wrong with an image for this model; completes "the image …". */
export function imageProblem(model: Model, { data }: { data: string }): string | undefined {
  const limits = model.api === 'anthropic-messages' || /claude/i.test(model.id) ? CLAUDE : OTHERS;
  const name = `${model.provider}/${model.id}`;
  if (data.length > limits.characters) {
    const size = (data.length / MIB).toFixed(1);
    return `has ${size} MiB in base64, and ${name} takes at most ${limits.characters / MIB} MiB`;
  }
  if (limits.pixels === Number.POSITIVE_INFINITY) return undefined;
  const longest = longestSide(Buffer.from(data.slice(0, Math.ceil(HEAD_BYTES / 3) * 4), 'base64'));
  if (longest === undefined || longest <= limits.pixels) return undefined;
  return `is ${longest} pixels long, and ${name} takes at most ${limits.pixels}`;
}

/** `undefined` where the beginning does not tell. */
function longestSide(bytes: Buffer): number | undefined {
  const [first] = bytes;
  if (first === 0x89 && bytes.length >= 24) return Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
  if (first === 0x47 && bytes.length >= 10) return Math.max(bytes.readUInt16LE(6), bytes.readUInt16LE(8));
  if (first === 0xff) return longestOfJpeg(bytes);
  return first === 0x52 ? longestOfWebp(bytes) : undefined;
}

function longestOfJpeg(bytes: Buffer): number | undefined {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    // The frame headers, without the tables and extensions that stand among their numbers.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return Math.max(bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7));
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function longestOfWebp(bytes: Buffer): number | undefined {
  if (bytes.length < 30) return undefined;
  const form = bytes.toString('latin1', 12, 16);
  if (form === 'VP8X') return Math.max(bytes.readUIntLE(24, 3), bytes.readUIntLE(27, 3)) + 1;
  if (form === 'VP8 ') return Math.max(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
  if (form !== 'VP8L') return undefined;
  const bits = bytes.readUInt32LE(21);
  return Math.max(bits & 0x3fff, (bits >>> 14) & 0x3fff) + 1;
}
