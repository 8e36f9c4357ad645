// GitHub Copilot login with a device code (RFC 8628). Does not store the login.
import type { Clock, DeviceLogin } from '../../contracts/index.ts';
import {
  DEVICE_GRANT_TYPE,
  MAX_CODE_LIFETIME_MS,
  pollUntilApproved,
  readDeviceCode,
} from '../../support/oauth/device-code.ts';
import { TransientFault } from '../../support/oauth/oauth-request.ts';
import type { OAuthEntry } from './auth-file.ts';
import { type CopilotApi, type CopilotApiOptions, createCopilotApi } from './copilot-api.ts';

/** Provider id under which the login is stored in auth.json. */
export const COPILOT_PROVIDER_ID = 'github-copilot';

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
      const response = await api.post('/login/device/code', { scope: 'read:user' });
      const { login, lifetimeMs } = readDeviceCode(response, new URL(api.site).host);
      deadlines.set(login.deviceCode, clock.now() + lifetimeMs);
      return login;
    },
    async waitForApproval({ deviceCode, interval }, signal) {
      const deadline = deadlines.get(deviceCode) ?? clock.now() + MAX_CODE_LIFETIME_MS;
      const body = { device_code: deviceCode, grant_type: DEVICE_GRANT_TYPE };
      const poll = () => api.post('/login/oauth/access_token', body);
      const { access_token: refresh } = await pollUntilApproved({ poll, clock, interval, deadline, signal });
      return renewLogin(api, clock, refresh);
    },
    renew: ({ refresh }) => renewLogin(api, clock, refresh),
  };
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
