// Converts tool-call ids to the form that most wire formats accept. Deterministic: equal ids give equal results.

const MAX_LENGTH = 64;
const VALID_ID = new RegExp(`^[a-zA-Z0-9_-]{1,${MAX_LENGTH}}$`);
const HASH_DIGITS = 7;

/** Ids of other providers may be too long or contain other characters. The hash keeps different ids different. */
export function normalizeCallId(id: string): string {
  return VALID_ID.test(id) ? id : buildReadableId(id, computeFingerprint(id, HASH_DIGITS, HASH_DIGITS), MAX_LENGTH);
}

/** As much of the id as fits into `maxLength`, followed by the suffix. */
export function buildReadableId(id: string, suffix: string, maxLength: number): string {
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, maxLength - suffix.length - 1)}_${suffix}`;
}

/** Base-36 digits of two independent 32-bit FNV-1a hashes. Protects against accidental collisions, not against attackers. */
export function computeFingerprint(text: string, first: number, second: number): string {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + index), 0x01000193);
  }
  return toBase36Digits(a, first) + toBase36Digits(b, second);
}

function toBase36Digits(sum: number, count: number): string {
  return (sum >>> 0).toString(36).padStart(count, '0').slice(-count);
}
