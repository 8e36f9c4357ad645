// SHA-256 digests. Node's crypto is loaded with the first one: it takes 2 to 3 ms, and a server can show its page without it.
import type { Hash } from 'node:crypto';
import { createRequire } from 'node:module';

type Crypto = typeof import('node:crypto');

function loadCrypto(): Crypto {
  return process.getBuiltinModule?.('node:crypto') ?? createRequire(import.meta.url)('node:crypto');
}

export function createDigest(): Hash {
  return loadCrypto().createHash('sha256');
}

export function digestText(text: string): Buffer {
  return createDigest().update(text).digest();
}

/** The time does not depend on where the digests differ. */
export function isSameDigest(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && loadCrypto().timingSafeEqual(one, other);
}
