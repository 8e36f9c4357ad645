// Generates random ids.
import { closeSync, openSync, readSync } from 'node:fs';
import type { IdGenerator } from '../../contracts/ports.ts';

/** The kernel never returns fewer bytes for a read of this size. */
const POOL_BYTES = 256;

export function createIds(): IdGenerator {
  let pool: Buffer = Buffer.alloc(0);
  const takeHex = (length: number): string => {
    if (pool.length < length) pool = randomBytes();
    const hex = pool.toString('hex', 0, length);
    pool = pool.subarray(length);
    return hex;
  };
  return {
    uuid() {
      const hex = takeHex(16);
      // Version 4, variant 10xx.
      const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3];
      const third = `4${hex.slice(13, 16)}`;
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${third}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
    entryId: () => takeHex(4),
  };
}

/**
 * Reads from the kernel, because loading Node's crypto takes 4 to 6 ms, and the first reply of a process needs only one id.
 */
function randomBytes(): Buffer {
  const bytes = Buffer.alloc(POOL_BYTES);
  try {
    const fd = openSync('/dev/urandom', 'r');
    try {
      if (readSync(fd, bytes, 0, POOL_BYTES, null) === POOL_BYTES) return bytes;
    } finally {
      closeSync(fd);
    }
  } catch {
    // This system has no /dev/urandom.
  }
  return globalThis.crypto.getRandomValues(bytes);
}
