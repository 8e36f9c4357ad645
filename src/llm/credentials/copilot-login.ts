// GitHub Copilot login with a device code (RFC 8628). Does not store the login.
import { Fault } from '../../base/index.ts';
import type { Clock, DeviceLogin } from '../../contracts/index.ts';
import type { OAuthEntry } from './auth-file.ts';
import {
  type CopilotApi,
  type CopilotApiOptions,
  createCopilotApi,
  isNonEmptyString,
  TransientFault,
} from './copilot-api.ts';

/** Provider id under which the login is stored in auth.json. */
export const COPILOT_PROVIDER_ID = 'github-copilot';

const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
const SLOW_DOWN_MS = 5_000;
const MAX_CODE_LIFETIME_MS = 15 * 60_000;
const MAX_BACKOFF_MS = 30_000;
const RENEW_ATTEMPTS = 3;
const RENEW_PAUSE_MS = 1_000;

export interface CopilotLoginOptions extends CopilotApiOptions {
  clock: Pick<Clock, 'now' | 'sleep'>;
}

export interface CopilotLogin {
  start(): Promise<DeviceLogin>;
  /** Resolves when the user has approved the login. Throws a Fault when the user rejects it or the code expires. */
  waitForApproval(login: Pick<DeviceLogin, 'deviceCode' | 'interval'>, signal?: AbortSignal): Promise<OAuthEntry>;
  /** Gets a new Copilot token, which is valid for half an hour, with the long-lived GitHub token. */
  renew(entry: Pick<OAuthEntry, 'refresh'>): Promise<OAuthEntry>;
}

export function createCopilotLogin({ fetch, clock, env }: CopilotLoginOptions): CopilotLogin {
  const api = createCopilotApi({ fetch, env });
  /** Expiry time by device code, for codes that this process requested. */
  const deadlines = new Map<string, number>();
  return {
    async start() {
      const { login, lifetimeMs } = await requestDeviceCode(api);
      deadlines.set(login.deviceCode, clock.now() + lifetimeMs);
      return login;
    },
    async waitForApproval({ deviceCode, interval }, signal) {
      const deadline = deadlines.get(deviceCode) ?? clock.now() + MAX_CODE_LIFETIME_MS;
      const refresh = await pollUntilApproved(api, clock, { deviceCode, interval, deadline, signal });
      return renewLogin(api, clock, refresh);
    },
    renew: ({ refresh }) => renewLogin(api, clock, refresh),
  };
}

async function requestDeviceCode({ site, post }: CopilotApi): Promise<{ login: DeviceLogin; lifetimeMs: number }> {
  const response = await post('/login/device/code', { scope: 'read:user' });
  const { device_code: deviceCode, user_code: userCode, verification_uri: verificationUri } = response;
  const { interval = 5, expires_in: seconds } = response;
  if (
    !isNonEmptyString(deviceCode) ||
    !isNonEmptyString(userCode) ||
    !isNonEmptyString(verificationUri) ||
    typeof interval !== 'number'
  ) {
    throw new Fault('refused', `${new URL(site).host} returned no device code`);
  }
  const lifetimeMs = typeof seconds === 'number' ? seconds * 1000 : MAX_CODE_LIFETIME_MS;
  return { login: { deviceCode, userCode, verificationUri, interval }, lifetimeMs };
}

interface PollOptions {
  readonly deviceCode: string;
  /** In seconds. */
  readonly interval: number;
  /** When the device code expires. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/** Returns the GitHub token. */
async function pollUntilApproved(
  api: CopilotApi,
  clock: CopilotLoginOptions['clock'],
  { deviceCode, interval, deadline, signal }: PollOptions,
): Promise<string> {
  let intervalMs = Math.max(1, interval) * 1000;
  let lastFault: TransientFault | undefined;
  let backoffMs = 0;
  for (;;) {
    await clock.sleep(intervalMs + backoffMs, signal);
    if (signal?.aborted) throw new Fault('aborted', 'The login was cancelled');
    if (clock.now() > deadline) throw createExpiredFault(lastFault);
    const response = await poll(api, deviceCode);
    if (response instanceof TransientFault) {
      // RFC 8628, section 3.5: poll less often while the server fails.
      lastFault = response;
      backoffMs = Math.min(backoffMs * 2 || intervalMs, MAX_BACKOFF_MS);
      continue;
    }
    [lastFault, backoffMs] = [undefined, 0];
    if (isNonEmptyString(response.access_token)) return response.access_token;
    if (response.error === 'slow_down')
      intervalMs = Math.max(intervalMs + SLOW_DOWN_MS, Number(response.interval ?? 0) * 1000);
    else if (response.error !== 'authorization_pending') throw createRefusedFault(response.error);
  }
}

/** Returns the fault instead of throwing it when a later attempt may succeed. */
async function poll({ post }: CopilotApi, deviceCode: string): Promise<Record<string, unknown> | TransientFault> {
  return post('/login/oauth/access_token', { device_code: deviceCode, grant_type: DEVICE_GRANT_TYPE }).catch(
    (thrown: unknown) => {
      if (thrown instanceof TransientFault) return thrown;
      throw thrown;
    },
  );
}

async function renewLogin(api: CopilotApi, clock: CopilotLoginOptions['clock'], refresh: string): Promise<OAuthEntry> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await api.requestToken(refresh);
    } catch (thrown) {
      if (!(thrown instanceof TransientFault) || attempt === RENEW_ATTEMPTS) throw thrown;
    }
    await clock.sleep(RENEW_PAUSE_MS);
  }
}

function createExpiredFault(lastFault?: Fault): Fault {
  const reason = lastFault ? ` The last poll failed: ${lastFault.message}.` : '';
  return new Fault('timeout', `The code has expired.${reason} Start the login again.`);
}

function createRefusedFault(error: unknown): Fault {
  if (error === 'expired_token') return createExpiredFault();
  if (error === 'access_denied') return new Fault('refused', 'The login was refused.');
  return new Fault('refused', `The login failed: ${typeof error === 'string' ? error : 'no reason was given'}`);
}
