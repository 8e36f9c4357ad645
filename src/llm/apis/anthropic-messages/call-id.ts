// First floor, llm: tool-call ids as the Messages format accepts them. Pure: the same id always becomes the same other one.

const LONGEST = 64;
const ACCEPTED = new RegExp(`^[a-zA-Z0-9_-]{1,${LONGEST}}$`);
const FINGERPRINT = 14;

/** Other providers' ids may be longer or hold other characters. The fingerprint keeps apart what would look the same. */
export function callId(id: string): string {
  if (ACCEPTED.test(id)) return id;
  const readable = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - FINGERPRINT - 1);
  return `${readable}_${fingerprint(id)}`;
}

/** Two independent 32-bit FNV-1a sums: not against an enemy, only against accidents. */
function fingerprint(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + at), 0x01000193);
  }
  return [a, b].map((sum) => (sum >>> 0).toString(36).padStart(FINGERPRINT / 2, '0')).join('');
}
