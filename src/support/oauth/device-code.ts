// The device authorization flow (RFC 8628): reads the response with the code, and polls until the user has approved.
import { Fault } from '../../base/index.ts';
import type { Clock, DeviceLogin } from '../../contracts/index.ts';
import { createCancelledFault, isNonEmptyString, TransientFault } from './oauth-request.ts';

export const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
export const MAX_CODE_LIFETIME_MS = 15 * 60_000;
const SLOW_DOWN_MS = 5_000;
const MAX_BACKOFF_MS = 30_000;

type Fields = Record<string, unknown>;

/** `host` is used in the error message. */
export function readDeviceCode(response: Fields, host: string): { login: DeviceLogin; lifetimeMs: number } {
  const { device_code: deviceCode, user_code: userCode, verification_uri: verificationUri } = response;
  const { interval = 5, expires_in: seconds } = response;
  if (
    !isNonEmptyString(deviceCode) ||
    !isNonEmptyString(userCode) ||
    !isNonEmptyString(verificationUri) ||
    !/^https?:\/\//.test(verificationUri) ||
    typeof interval !== 'number'
  ) {
    throw new Fault('refused', `${host} returned no device code`);
  }
  const lifetimeMs = typeof seconds === 'number' ? seconds * 1000 : MAX_CODE_LIFETIME_MS;
  return { login: { deviceCode, userCode, verificationUri, interval }, lifetimeMs };
}

export interface PollOptions {
  /** Sends one poll. Returns the fields of the response, which may be those of an OAuth error. */
  poll(): Promise<Fields>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** In seconds. */
  readonly interval: number;
  /** When the device code expires. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/** Returns the response that has an `access_token`. */
export async function pollUntilApproved(options: PollOptions): Promise<Fields & { access_token: string }> {
  const { poll, clock, interval, deadline, signal } = options;
  let intervalMs = Math.max(1, interval) * 1000;
  let lastFault: TransientFault | undefined;
  let backoffMs = 0;
  for (;;) {
    await clock.sleep(intervalMs + backoffMs, signal);
    if (signal?.aborted) throw createCancelledFault();
    if (clock.now() > deadline) throw createExpiredFault(lastFault);
    const response = await poll().catch(returnTransientFault);
    if (response instanceof TransientFault) {
      // RFC 8628, section 3.5: poll less often while the server fails.
      lastFault = response;
      backoffMs = Math.min(backoffMs * 2 || intervalMs, MAX_BACKOFF_MS);
      continue;
    }
    [lastFault, backoffMs] = [undefined, 0];
    const { access_token: token, error } = response;
    if (isNonEmptyString(token)) return { ...response, access_token: token };
    if (error === 'slow_down') {
      const required = Number(response.interval ?? 0) * 1000;
      intervalMs = Math.max(intervalMs + SLOW_DOWN_MS, required);
    } else if (error !== 'authorization_pending') throw createRefusedFault(error);
  }
}

/** A later attempt may succeed. */
function returnTransientFault(thrown: unknown): TransientFault {
  if (thrown instanceof TransientFault) return thrown;
  throw thrown;
}

function createExpiredFault(lastFault?: Fault): Fault {
  const reason = lastFault ? ` The last poll failed: ${lastFault.message}.` : '';
  return new Fault('timeout', `The code has expired.${reason} Start the login again.`);
}

function createRefusedFault(error: unknown): Fault {
  if (error === 'expired_token') return createExpiredFault();
  if (error === 'access_denied' || error === 'authorization_denied')
    return new Fault('refused', 'The login was refused.');
  return new Fault('refused', `The login failed: ${typeof error === 'string' ? error : 'no reason was given'}`);
}
