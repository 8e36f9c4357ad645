// Reads the width and height of PNG, JPEG, GIF and WebP images from their headers. Pure.
import { detectImageType } from '../../base/content-kind.ts';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** `undefined` if the header is not complete or the type is unknown. */
export function readImageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    switch (detectImageType(bytes)) {
      case 'image/png':
        return { width: view.getUint32(16), height: view.getUint32(20) };
      case 'image/gif':
        return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
      case 'image/jpeg':
        return readJpegSize(view);
      case 'image/webp':
        return readWebpSize(view);
      default:
        return undefined;
    }
  } catch {
    // The header ends before the size.
    return undefined;
  }
}

/** Looks for the start-of-frame segment. */
function readJpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; at < view.byteLength; at += 2 + view.getUint16(at + 2)) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
  }
  return undefined;
}

/** The three kinds of WebP: lossy, lossless and extended. */
function readWebpSize(view: DataView): ImageSize | undefined {
  const kind = view.getUint32(12);
  if (kind === 0x56503820)
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 0x56503858) return undefined;
  const read24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  return { width: read24(24) + 1, height: read24(27) + 1 };
}
