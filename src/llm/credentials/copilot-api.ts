// Sends the requests of the GitHub Copilot login.
import { Fault, isRecord } from '../../base/index.ts';
import { isNonEmptyString, type JsonResponse, requestJson } from '../../support/oauth/oauth-request.ts';
import { COPILOT_HEADERS } from '../providers/copilot-headers.ts';
import type { OAuthEntry } from './auth-file.ts';

const CLIENT_ID = 'Iv1.b507a08c87ecfe98';

export interface CopilotApiOptions {
  fetch: typeof fetch;
  /** `OPAL_COPILOT_DOMAIN`: domain or URL of a GitHub Enterprise server. `OPAL_COPILOT_CLIENT_ID`: its OAuth client id. */
  env: Readonly<Record<string, string | undefined>>;
}

/** Each method throws a TransientFault when the same request may succeed later. */
export interface CopilotApi {
  /** URL of the GitHub server. */
  readonly site: string;
  /** Returns the fields of the response, which may be those of an OAuth error. */
  post(path: string, body: Record<string, string>): Promise<Record<string, unknown>>;
  /** Gets a Copilot token with the GitHub token. */
  requestToken(refresh: string): Promise<OAuthEntry>;
}

export function createCopilotApi({ fetch, env }: CopilotApiOptions): CopilotApi {
  const { site, api } = resolveUrls(env.OPAL_COPILOT_DOMAIN || 'github.com');
  const clientId = env.OPAL_COPILOT_CLIENT_ID || CLIENT_ID;
  return {
    site,
    async post(path, body) {
      const { host, status, fields } = await requestJson(fetch, `${site}${path}`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify({ client_id: clientId, ...body }),
      });
      if (status < 300 || typeof fields.error === 'string') return fields;
      throw new Fault('refused', `${host} answered ${status}`);
    },
    async requestToken(refresh) {
      const headers = { ...COPILOT_HEADERS, accept: 'application/json', authorization: `token ${refresh}` };
      const response = await requestJson(fetch, `${api}/copilot_internal/v2/token`, { headers }, [refresh]);
      return readToken(response, refresh);
    },
  };
}

function resolveUrls(domain: string): { site: string; api: string } {
  if (domain.includes('://')) return { site: domain.replace(/\/$/, ''), api: domain.replace(/\/$/, '') };
  return { site: `https://${domain}`, api: `https://api.${domain}` };
}

function readToken({ host, status, fields }: JsonResponse, refresh: string): OAuthEntry {
  const { token, expires_at: expires } = fields;
  if (isNonEmptyString(token) && typeof expires === 'number') {
    return { type: 'oauth', access: token, refresh, expires: expires * 1000, ...readBaseUrl(fields) };
  }
  if (status === 401) throw new Fault('refused', 'GitHub no longer accepts the login. Sign in again.');
  if (status < 300 || status === 403 || status === 404) {
    throw new Fault('refused', 'This GitHub account has no access to Copilot. Sign in with another account.');
  }
  throw new Fault('refused', `${host} answered ${status}`);
}

function readBaseUrl({ endpoints }: Record<string, unknown>): { baseUrl?: string } {
  return isRecord(endpoints) && isNonEmptyString(endpoints.api) ? { baseUrl: endpoints.api } : {};
}
