// Why a connection ends, as close codes of WebSockets.
import { Fault, getErrorMessage, getFaultReason } from '../../../base/index.ts';
import type { ConnectionEnd } from '../../../http/index.ts';
import type { CloseReason } from '../../../server/shared/shared-client.ts';

const CODES: Record<CloseReason | 'token_removed', number> = {
  reads_too_slowly: 4408,
  session_closed: 4404,
  session_released: 1012,
  rate_limit: 4429,
  exit_requested: 1000,
  server_ends: 1012,
  token_removed: 4401,
};

const TRY_LATER = 1013;
/** Reasons of faults after which another attempt can succeed: for example, the database restarts, or another node has the session now. */
const FOR_LATER: ReadonlySet<unknown> = new Set([
  'too_many_clients',
  'unavailable',
  'database',
  'lease_lost',
  'closed',
]);

export function toConnectionEnd(reason: keyof typeof CODES, message: string): ConnectionEnd {
  return { code: CODES[reason], reason: message };
}

/** A connection that was refused. */
export function toRefusedEnd(thrown: unknown): ConnectionEnd & { readonly faultCode: string } {
  const reason = getErrorMessage(thrown);
  const faultReason = getFaultReason(thrown);
  // Another process uses the session: clients may try again.
  if (faultReason === 'in_use') return { code: 4409, reason, faultCode: 'in_use' };
  if (FOR_LATER.has(faultReason)) return { code: TRY_LATER, reason, faultCode: 'busy' };
  const faultCode = thrown instanceof Fault ? thrown.code : 'internal';
  return { code: getCode(faultCode), reason, faultCode };
}

function getCode(faultCode: string): number {
  if (faultCode === 'not_found') return 4404;
  if (faultCode === 'busy') return 4409;
  return faultCode === 'internal' ? 1011 : 4400;
}
