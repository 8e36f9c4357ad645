// First floor, llm: tool-call ids as most formats accept them, made of those they do not. Pure: the same id always becomes the same other one.

const LONGEST = 64;
const ACCEPTED = new RegExp(`^[a-zA-Z0-9_-]{1,${LONGEST}}$`);
const SUM_DIGITS = 7;

/** Other providers' ids may be longer or hold other characters. The fingerprint keeps apart what would look the same. */
export function callId(id: string): string {
  return ACCEPTED.test(id) ? id : readableId(id, fingerprint(id, SUM_DIGITS, SUM_DIGITS), LONGEST);
}

/** As much of the id as there is room for, and the fingerprint. */
export function readableId(id: string, mark: string, longest: number): string {
  return `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, longest - mark.length - 1)}_${mark}`;
}

/** Digits and letters of two independent 32-bit FNV-1a sums: not against an enemy, only against accidents. */
export function fingerprint(text: string, first: number, second: number): string {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + at), 0x01000193);
  }
  return digits(a, first) + digits(b, second);
}

function digits(sum: number, count: number): string {
  return (sum >>> 0).toString(36).padStart(count, '0').slice(-count);
}
