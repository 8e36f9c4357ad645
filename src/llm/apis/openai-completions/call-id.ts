// First floor, llm: tool-call ids as a host accepts them. Pure: the same id always becomes the same other one.
import { fingerprint, readableId } from '../../call-id.ts';

const LONGEST = 40;
const MISTRAL = /^[a-zA-Z0-9]{9}$/;
const STRICT = /^[a-zA-Z0-9_-]{1,40}$/;
/** Some models give their calls names like `functions.read:0` and go by them. */
const LOOSE = /^[\w.:-]{1,40}$/;

export type IdStyle = 'mistral' | 'strict' | 'loose';

export function callIds(style: IdStyle): (id: string) => string {
  if (style === 'mistral') return (id) => (MISTRAL.test(id) ? id : mark(id));
  const accepted = style === 'strict' ? STRICT : LOOSE;
  return (id) => {
    // The Responses format joins two ids with a bar; the first is the call's.
    const [own = ''] = id.split('|', 1);
    return accepted.test(own) ? own : readableId(own, mark(id), LONGEST);
  };
}

/** As long as Mistral wants it. */
function mark(id: string): string {
  return fingerprint(id, 5, 4);
}
