// First floor, llm: signing in with GitHub Copilot by a code that the person types elsewhere (RFC 8628). Keeps nothing itself.
import { Fault, isRecord, messageOf } from '../../base/index.ts';
import { redact } from '../../base/redaction.ts';
import type { Clock, DeviceLogin } from '../../contracts/index.ts';
import { readText } from '../http/limits.ts';
import type { OAuthEntry } from './auth-file.ts';
import { COPILOT_HEADERS } from './copilot-headers.ts';

/** The name under which the login is kept. */
export const COPILOT = 'github-copilot';

const CLIENT_ID = 'Iv1.b507a08c87ecfe98';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const SLOW_DOWN_MS = 5_000;
const LONGEST_MS = 15 * 60_000;
const LONGEST_BACKOFF_MS = 30_000;
const RENEW_ATTEMPTS = 3;
const RENEW_PAUSE_MS = 1_000;

/** The same question may be answered a moment later. */
class PassingFault extends Fault {
  constructor(message: string) {
    super('refused', message);
  }
}

interface Answer {
  readonly host: string;
  readonly status: number;
  /** Empty where a refusal is not JSON. */
  readonly fields: Record<string, unknown>;
}

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

  async function ask(url: string, init: RequestInit, secrets: readonly string[] = []): Promise<Answer> {
    const { host } = new URL(url);
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(url, { ...init, redirect: 'error' });
      text = await readText(answer);
    } catch (thrown) {
      // The limit was exceeded.
      if (thrown instanceof Fault) throw thrown;
      throw new PassingFault(`${host} cannot be reached: ${redact(reasonOf(thrown), secrets)}`);
    }
    const { status } = answer;
    const fields = fieldsIn(text);
    // Servers that are overloaded or being restarted answer with pages of HTML, some of them with status 200.
    if (status >= 500 || status === 408 || status === 429) throw new PassingFault(`${host} answered ${status}`);
    if (answer.ok && !fields) throw new PassingFault(`${host} answered with something other than JSON`);
    return { host, status, fields: fields ?? {} };
  }

  async function post(path: string, body: Record<string, string>): Promise<Record<string, unknown>> {
    const { host, status, fields } = await ask(`${site}${path}`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: client, ...body }),
    });
    if (status < 300 || typeof fields.error === 'string') return fields;
    throw new Fault('refused', `${host} answered ${status}`);
  }

  async function renewedOnce(refresh: string): Promise<OAuthEntry> {
    const headers = { ...COPILOT_HEADERS, accept: 'application/json', authorization: `token ${refresh}` };
    const { host, status, fields } = await ask(`${api}/copilot_internal/v2/token`, { headers }, [refresh]);
    const { token, expires_at: expires } = fields;
    if (isText(token) && typeof expires === 'number') {
      return { type: 'oauth', access: token, refresh, expires: expires * 1000, ...baseUrlIn(fields) };
    }
    if (status === 401) throw new Fault('refused', 'GitHub does not accept the login any more. Sign in again.');
    if (status < 300 || status === 403 || status === 404) {
      throw new Fault('refused', 'This GitHub account has no access to Copilot. Sign in with another.');
    }
    throw new Fault('refused', `${host} answered ${status}`);
  }

  async function renewed({ refresh }: Pick<OAuthEntry, 'refresh'>): Promise<OAuthEntry> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await renewedOnce(refresh);
      } catch (thrown) {
        if (!(thrown instanceof PassingFault) || attempt === RENEW_ATTEMPTS) throw thrown;
      }
      await clock.sleep(RENEW_PAUSE_MS);
    }
  }

  /** The failure itself where the next attempt may succeed. */
  async function poll(deviceCode: string): Promise<Record<string, unknown> | PassingFault> {
    return post('/login/oauth/access_token', { device_code: deviceCode, grant_type: GRANT }).catch(
      (thrown: unknown) => {
        if (thrown instanceof PassingFault) return thrown;
        throw thrown;
      },
    );
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
      let trouble: PassingFault | undefined;
      let backoff = 0;
      for (;;) {
        await clock.sleep(pause + backoff, signal);
        if (signal?.aborted) throw new Fault('aborted', 'Nobody waits for the login any more');
        if (clock.now() > deadline) throw tooOld(trouble);
        const said = await poll(deviceCode);
        if (said instanceof PassingFault) {
          // RFC 8628, 3.5: ask less often while the server has trouble.
          trouble = said;
          backoff = Math.min(backoff * 2 || pause, LONGEST_BACKOFF_MS);
          continue;
        }
        [trouble, backoff] = [undefined, 0];
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

/** Node says why a request failed in the cause. */
function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause === undefined ? messageOf(thrown) : messageOf(cause);
}

function fieldsIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function baseUrlIn({ endpoints }: Record<string, unknown>): { baseUrl?: string } {
  return isRecord(endpoints) && isText(endpoints.api) ? { baseUrl: endpoints.api } : {};
}

function tooOld(trouble?: Fault): Fault {
  const why = trouble ? ` The last attempt to ask for the login failed: ${trouble.message}.` : '';
  return new Fault('timeout', `The code has expired.${why} Begin the login again.`);
}

function refusal(error: unknown): Fault {
  if (error === 'expired_token') return tooOld();
  if (error === 'access_denied') return new Fault('refused', 'The login was refused.');
  return new Fault('refused', `The login failed: ${typeof error === 'string' ? error : 'no reason was given'}`);
}
