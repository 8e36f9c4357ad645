// First floor, llm: tool-call ids as a host accepts them. Pure: the same id always becomes the same other one.

const LONGEST = 40;
const MISTRAL = /^[a-zA-Z0-9]{9}$/;
const STRICT = /^[a-zA-Z0-9_-]{1,40}$/;
/** Some models give their calls names like `functions.read:0` and go by them. */
const LOOSE = /^[\w.:-]{1,40}$/;

export type IdStyle = 'mistral' | 'strict' | 'loose';

export function callIds(style: IdStyle): (id: string) => string {
  if (style === 'mistral') return (id) => (MISTRAL.test(id) ? id : fingerprint(id));
  const accepted = style === 'strict' ? STRICT : LOOSE;
  return (id) => {
    // The Responses format joins two ids with a bar; the first is the call's.
    const [own = ''] = id.split('|', 1);
    if (accepted.test(own)) return own;
    const mark = fingerprint(id);
    return `${own.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - mark.length - 1)}_${mark}`;
  };
}

/** Nine digits and letters of two 32-bit FNV-1a sums: not against an enemy, only against accidents. */
function fingerprint(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + at), 0x01000193);
  }
  const digits = (sum: number, count: number) => (sum >>> 0).toString(36).padStart(count, '0').slice(-count);
  return digits(a, 5) + digits(b, 4);
}
