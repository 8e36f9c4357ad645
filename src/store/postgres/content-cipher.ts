// Encrypts what the database stores of a session: AES-256-GCM with a key that has an id, so that keys can be replaced.
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import type { IdGenerator } from '../../contracts/ports.ts';

/** What the database stores, and the id of the key; null if it is not encrypted. */
export interface StoredContent {
  readonly bytes: Uint8Array;
  readonly keyId: string | null;
}

export interface ContentCipher {
  /** The id of the key for new content; null without encryption. */
  readonly keyId: string | null;
  /** The ids of all keys that decrypt. */
  readonly keyIds: readonly string[];
  /** `place` is authenticated: content that was copied to another place in the database cannot be decrypted there. */
  encrypt(bytes: Uint8Array, place: string): Uint8Array;
  decrypt(stored: StoredContent, place: string): Buffer;
  /** Names content without revealing which sessions have the same content. */
  hash(bytes: Uint8Array): string;
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ENTRY = /^([\w.-]{1,32}):([A-Za-z0-9+/_-]{43}=?)$/;
const VARIABLE = 'PARLEY_DATABASE_KEY';

/** `keys` is `ID:KEY,ID:KEY…`, each key 32 bytes in base64. The first one encrypts; all of them decrypt. */
export function createContentCipher(keys: string | undefined, ids: Pick<IdGenerator, 'uuid'>): ContentCipher {
  const known = parseKeys(keys);
  const [current] = known;
  return {
    keyId: current?.[0] ?? null,
    keyIds: known.map(([id]) => id),
    encrypt: (bytes, place) => (current ? encrypt(current[1], createNonce(ids), bytes, place) : bytes),
    decrypt({ bytes, keyId }, place) {
      if (keyId === null) return toBuffer(bytes);
      const key = known.find(([id]) => id === keyId)?.[1];
      if (!key) throw new Fault('config', `A session is encrypted with the key ${keyId}. Add this key to ${VARIABLE}.`);
      return decrypt(key, keyId, toBuffer(bytes), place);
    },
    hash: (bytes) => (current ? createHmac('sha256', current[1]) : createHash('sha256')).update(bytes).digest('hex'),
  };
}

type Key = readonly [id: string, key: Buffer];

function parseKeys(keys: string | undefined): readonly Key[] {
  if (keys === undefined || keys.trim() === '') return [];
  const known = keys.split(',').map((entry): Key => {
    const [, id, text] = KEY_ENTRY.exec(entry.trim()) ?? [];
    const key = Buffer.from(text ?? '', 'base64');
    // The text must not be shown, it may contain the key.
    if (id === undefined || key.length !== KEY_BYTES)
      throw new Fault(
        'config',
        `${VARIABLE} must be ID:KEY, or several separated by commas. KEY is 32 bytes in base64.`,
      );
    return [id, key];
  });
  if (new Set(known.map(([id]) => id)).size < known.length)
    throw new Fault('config', `${VARIABLE} contains two keys with the same id.`);
  return known;
}

/** The first and the last 12 digits of a UUID are random: 96 bits. */
function createNonce(ids: Pick<IdGenerator, 'uuid'>): Buffer {
  const digits = ids.uuid().replaceAll('-', '');
  return Buffer.from(digits.slice(0, NONCE_BYTES) + digits.slice(-NONCE_BYTES), 'hex');
}

function encrypt(key: Buffer, nonce: Buffer, bytes: Uint8Array, place: string): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place));
  const encrypted = [cipher.update(bytes), cipher.final()];
  return Buffer.concat([nonce, ...encrypted, cipher.getAuthTag()]);
}

function decrypt(key: Buffer, keyId: string, bytes: Buffer, place: string): Buffer {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const content = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    // Returns nothing in this mode, and throws if the content is not authentic.
    decipher.final();
    return content;
  } catch (cause) {
    throw new Fault(
      'storage',
      `Content of a session cannot be decrypted with the key ${keyId}: it is damaged, or the key is another one.`,
      { cause },
    );
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
