// First floor, llm: signing in with GitHub Copilot by a code that the person types elsewhere (RFC 8628). Keeps nothing itself.
import { Fault, isRecord, messageOf } from '../../base/index.ts';
import type { Clock, DeviceLogin } from '../../contracts/index.ts';
import { readJson } from '../http/limits.ts';
import type { OAuthEntry } from './auth-file.ts';
import { COPILOT_HEADERS } from './copilot-headers.ts';

/** The name under which the login is kept. */
export const COPILOT = 'github-copilot';

const CLIENT_ID = 'Iv1.b507a08c87ecfe98';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const SLOW_DOWN_MS = 5_000;
const LONGEST_MS = 15 * 60_000;

export interface CopilotOptions {
  fetch: typeof fetch;
  clock: Pick<Clock, 'now' | 'sleep'>;
  /** `OPAL_COPILOT_DOMAIN` is a company's own domain, or a whole address; `OPAL_COPILOT_CLIENT_ID` its application. */
  env: Readonly<Record<string, string | undefined>>;
}

export interface CopilotLogin {
  begin(): Promise<DeviceLogin>;
  /** Resolves when the person has agreed. Throws a Fault when they refuse, or when the code is too old. */
  granted(login: Pick<DeviceLogin, 'deviceCode' | 'interval'>, signal?: AbortSignal): Promise<OAuthEntry>;
  /** GitHub's own token stays; the one that opens Copilot's door lives for half an hour. */
  renewed(entry: Pick<OAuthEntry, 'refresh'>): Promise<OAuthEntry>;
}

export function createCopilotLogin({ fetch, clock, env }: CopilotOptions): CopilotLogin {
  const { site, api } = addresses(env.OPAL_COPILOT_DOMAIN || 'github.com');
  const client = env.OPAL_COPILOT_CLIENT_ID || CLIENT_ID;
  /** When each code is too old, as far as we were told. */
  const deadlines = new Map<string, number>();

  async function say(url: string, init: RequestInit): Promise<Record<string, unknown>> {
    try {
      const answer = await fetch(url, { ...init, redirect: 'error' });
      const said = await readJson(answer);
      if (isRecord(said) && (answer.ok || typeof said.error === 'string')) return said;
      throw new Fault('refused', `${new URL(url).host} answered ${answer.status}`);
    } catch (thrown) {
      // The words of what failed may quote what was sent; the address is all that helps.
      if (thrown instanceof Fault) throw thrown;
      throw new Fault('refused', `${new URL(url).host} cannot be reached: ${messageOf(thrown)}`);
    }
  }

  const post = (path: string, body: Record<string, string>) =>
    say(`${site}${path}`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: client, ...body }),
    });

  async function renewed({ refresh }: Pick<OAuthEntry, 'refresh'>): Promise<OAuthEntry> {
    const said = await say(`${api}/copilot_internal/v2/token`, {
      headers: { ...COPILOT_HEADERS, accept: 'application/json', authorization: `token ${refresh}` },
    });
    const { token, expires_at: expires } = said;
    if (typeof token !== 'string' || typeof expires !== 'number') {
      throw new Fault('refused', 'This GitHub account has no access to Copilot. Sign in with another.');
    }
    return { type: 'oauth', access: token, refresh, expires: expires * 1000, ...baseUrlIn(said) };
  }

  return {
    async begin() {
      const said = await post('/login/device/code', { scope: 'read:user' });
      const { device_code: deviceCode, user_code: userCode, verification_uri: verificationUri } = said;
      const { interval = 5, expires_in: seconds } = said;
      if (!isText(deviceCode) || !isText(userCode) || !isText(verificationUri) || typeof interval !== 'number') {
        throw new Fault('refused', `${new URL(site).host} gave no code to sign in with`);
      }
      const life = typeof seconds === 'number' ? seconds * 1000 : LONGEST_MS;
      deadlines.set(deviceCode, clock.now() + life);
      return { deviceCode, userCode, verificationUri, interval };
    },
    async granted({ deviceCode, interval }, signal) {
      const deadline = deadlines.get(deviceCode) ?? clock.now() + LONGEST_MS;
      let pause = Math.max(1, interval) * 1000;
      for (;;) {
        await clock.sleep(pause, signal);
        if (signal?.aborted) throw new Fault('aborted', 'Nobody waits for the login any more');
        if (clock.now() > deadline) throw tooOld();
        const said = await post('/login/oauth/access_token', { device_code: deviceCode, grant_type: GRANT });
        if (isText(said.access_token)) return renewed({ refresh: said.access_token });
        if (said.error === 'slow_down') pause = Math.max(pause + SLOW_DOWN_MS, Number(said.interval ?? 0) * 1000);
        else if (said.error !== 'authorization_pending') throw refusal(said.error);
      }
    },
    renewed,
  };
}

function addresses(domain: string): { site: string; api: string } {
  if (domain.includes('://')) return { site: domain.replace(/\/$/, ''), api: domain.replace(/\/$/, '') };
  return { site: `https://${domain}`, api: `https://api.${domain}` };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function baseUrlIn({ endpoints }: Record<string, unknown>): { baseUrl?: string } {
  return isRecord(endpoints) && isText(endpoints.api) ? { baseUrl: endpoints.api } : {};
}

function tooOld(): Fault {
  return new Fault('timeout', 'The code has expired. Begin the login again.');
}

function refusal(error: unknown): Fault {
  if (error === 'expired_token') return tooOld();
  if (error === 'access_denied') return new Fault('refused', 'The login was refused.');
  return new Fault('refused', `The login failed: ${typeof error === 'string' ? error : 'no reason was given'}`);
}
