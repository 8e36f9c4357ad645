// A loopback MCP server that requires a token, and the authorization server that issues it.
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startHttpServer } from '../../support/http-server.ts';

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** What a test may change while the servers run. */
export interface OAuthBehaviour {
  registration: 'open' | 'refused' | 'absent';
  hasDeviceFlow: boolean;
  hasMetadata: boolean;
  /** In seconds; absent: the tokens do not expire. */
  tokenLifetime?: number;
  /** The error of the token endpoint for a refresh token. */
  refreshError?: string;
  /** The `iss` of the redirect. */
  redirectIssuer?: string;
  /** Replaces fields of the metadata of the protected resource. */
  resourceMetadata: object;
  /** Replaces fields of the metadata of the authorization server. */
  metadata: object;
  /** The answers to polls with a device code, before the token. */
  polls: string[];
  /** Secret that the token endpoint requires. */
  clientSecret?: string;
}

interface Grant {
  readonly challenge?: string | undefined;
  readonly scope: string;
}

interface OAuthRequest {
  readonly path: string;
  readonly fields: Record<string, string>;
  readonly authorization: string | undefined;
}

export async function startOAuthServers(changes: Partial<OAuthBehaviour> = {}) {
  const behaviour: OAuthBehaviour = {
    registration: 'open',
    hasDeviceFlow: false,
    hasMetadata: true,
    resourceMetadata: {},
    metadata: {},
    polls: [],
    ...changes,
  };
  const grants = new Map<string, Grant>();
  /** Scopes by access token. */
  const accessTokens = new Map<string, string>();
  const refreshTokens = new Map<string, string>();
  const requests: OAuthRequest[] = [];
  const registrations: Record<string, unknown>[] = [];

  const issueTokens = (scope: string) => {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    accessTokens.set(access, scope);
    refreshTokens.set(refresh, scope);
    return {
      ...{ access_token: access, refresh_token: refresh, token_type: 'Bearer', scope },
      ...(behaviour.tokenLifetime === undefined ? {} : { expires_in: behaviour.tokenLifetime }),
    };
  };

  const answerToken = (fields: Record<string, string>, authorization: string | undefined): [number, object] => {
    const { clientSecret, polls, refreshError } = behaviour;
    const basic = Buffer.from(authorization?.slice('Basic '.length) ?? '', 'base64').toString();
    if (clientSecret && ![fields.client_secret, basic.split(':')[1]].includes(clientSecret))
      return [401, { error: 'invalid_client' }];
    if (fields.grant_type === 'refresh_token') {
      if (refreshError) return [refreshError === 'server_error' ? 500 : 400, { error: refreshError }];
      const scope = refreshTokens.get(fields.refresh_token ?? '');
      refreshTokens.delete(fields.refresh_token ?? '');
      return scope === undefined ? [400, { error: 'invalid_grant' }] : [200, issueTokens(scope)];
    }
    const error = fields.grant_type === DEVICE_GRANT ? polls.shift() : undefined;
    if (error) return [400, { error }];
    const code = fields.grant_type === DEVICE_GRANT ? fields.device_code : fields.code;
    const grant = grants.get(code ?? '');
    grants.delete(code ?? '');
    const verifier = createHash('sha256')
      .update(fields.code_verifier ?? '')
      .digest('base64url');
    if (!grant || (grant.challenge && grant.challenge !== verifier)) return [400, { error: 'invalid_grant' }];
    return [200, issueTokens(grant.scope)];
  };

  const auth = await startHttpServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', auth.url);
    const body = await text(request);
    const isJson = request.headers['content-type']?.includes('json');
    const fields = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
    requests.push({ path: pathname, fields, authorization: request.headers.authorization });
    if (pathname === '/.well-known/oauth-authorization-server' && behaviour.hasMetadata) {
      return send(response, 200, {
        issuer: auth.url,
        authorization_endpoint: `${auth.url}/authorize`,
        token_endpoint: `${auth.url}/token`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
        ...(behaviour.registration === 'absent' ? {} : { registration_endpoint: `${auth.url}/register` }),
        ...(behaviour.hasDeviceFlow ? { device_authorization_endpoint: `${auth.url}/device` } : {}),
        ...behaviour.metadata,
      });
    }
    if (pathname === '/register' && behaviour.registration === 'open') {
      registrations.push(fields);
      return send(response, 201, { ...fields, client_id: `client-${registrations.length}` });
    }
    if (pathname === '/register') return send(response, 403, { error: 'access_denied' });
    if (pathname === '/device') {
      grants.set('device-1', { scope: fields.scope ?? '' });
      const codes = { device_code: 'device-1', user_code: 'ABCD-1234', interval: 1, expires_in: 600 };
      return send(response, 200, { ...codes, verification_uri: `${auth.url}/verify` });
    }
    if (pathname === '/authorize') {
      const code = `code-${randomUUID()}`;
      grants.set(code, {
        challenge: searchParams.get('code_challenge') ?? 'absent',
        scope: searchParams.get('scope') ?? '',
      });
      const target = new URL(searchParams.get('redirect_uri') ?? '');
      target.searchParams.set('code', code);
      target.searchParams.set('state', searchParams.get('state') ?? '');
      if (behaviour.redirectIssuer) target.searchParams.set('iss', behaviour.redirectIssuer);
      return void response.writeHead(302, { location: target.href }).end();
    }
    if (pathname === '/token') return send(response, ...answerToken(fields, request.headers.authorization));
    send(response, 404, {});
  });

  const mcp = await startMcpServer(accessTokens, () => ({
    metadata: behaviour.hasMetadata ? { authorization_servers: [auth.url], ...behaviour.resourceMetadata } : undefined,
  }));
  return {
    behaviour,
    requests,
    registrations,
    accessTokens,
    refreshTokens,
    authUrl: auth.url,
    ...mcp,
    listTokenRequests: () => requests.filter(({ path }) => path === '/token').map(({ fields }) => fields),
  };
}

type OAuthServers = Awaited<ReturnType<typeof startOAuthServers>>;

export type { OAuthServers };

async function startMcpServer(tokens: ReadonlyMap<string, string>, getOptions: () => { metadata: object | undefined }) {
  /** The Authorization header of each request. */
  const authorizations: (string | undefined)[] = [];
  const server = await startHttpServer(async (request, response) => {
    const { metadata } = getOptions();
    if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
      return send(response, metadata ? 200 : 404, { resource: `${server.url}/mcp`, ...metadata });
    }
    if (request.url !== '/mcp') return send(response, 404, {});
    const { authorization } = request.headers;
    authorizations.push(authorization);
    const scope = tokens.get(authorization?.replace(/^Bearer /, '') ?? '');
    const link = metadata ? `resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"` : 'realm="x"';
    if (scope === undefined) {
      return send(response, 401, {}, { 'www-authenticate': `Bearer ${link}, scope="tools:read"` });
    }
    await answerMcp(request, response, scope, link);
  });
  return { mcpUrl: `${server.url}/mcp`, authorizations };
}

async function answerMcp(request: IncomingMessage, response: ServerResponse, scope: string, link: string) {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = JSON.parse(await text(request));
  if (id === undefined) return void response.writeHead(202).end();
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: params?.protocolVersion ?? '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'guarded', version: '1' },
    },
    'tools/list': { tools: ['echo', 'write'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
    'tools/call': { content: [{ type: 'text', text: `called with ${scope}` }] },
  };
  if (params?.name === 'write' && !scope.includes('tools:write')) {
    const challenge = `Bearer error="insufficient_scope", scope="tools:write", ${link}`;
    return send(response, 403, {}, { 'www-authenticate': challenge });
  }
  const result = results[method];
  const error = { code: -32601, message: 'Method not found' };
  send(response, 200, { jsonrpc: '2.0', id, ...(result ? { result } : { error }) });
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
