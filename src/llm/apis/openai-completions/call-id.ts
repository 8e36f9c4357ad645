// Converts tool-call ids to the form that a provider accepts. Deterministic: equal ids give equal results.
import { buildReadableId, computeFingerprint } from '../../call-id.ts';

const MAX_LENGTH = 40;
const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/;
const STRICT_ID = /^[a-zA-Z0-9_-]{1,40}$/;
/** Some models use ids like `functions.read:0` and depend on them. */
const LOOSE_ID = /^[\w.:-]{1,40}$/;

export type CallIdStyle = 'mistral' | 'strict' | 'loose';

export function createCallIdNormalizer(style: CallIdStyle): (id: string) => string {
  if (style === 'mistral') return (id) => (MISTRAL_ID.test(id) ? id : computeMistralId(id));
  const accepted = style === 'strict' ? STRICT_ID : LOOSE_ID;
  return (id) => {
    // The Responses format joins two ids with `|`; the first is the call id.
    const [callId = ''] = id.split('|', 1);
    return accepted.test(callId) ? callId : buildReadableId(callId, computeMistralId(id), MAX_LENGTH);
  };
}

/** Nine characters, as Mistral requires. */
function computeMistralId(id: string): string {
  return computeFingerprint(id, 5, 4);
}
