// Finds out where and with which scope the user signs in to an HTTP server: its challenge, its metadata, and those of the authorization server.
import { Fault, getErrorMessage } from '../../base/index.ts';
import type { McpHttpServer } from '../../contracts/index.ts';
import { version } from '../../support/version.ts';
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  computeScopeUnion,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
  resourceUrlFromServerUrl,
} from '../vendor/client-auth.ts';
import { assertSecureUrl, type OAuthFetch } from './oauth-fetch.ts';

export interface Authorization {
  readonly issuer: string;
  /** The URL from which the default endpoints are derived when there is no metadata. */
  readonly authorizationServerUrl: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Absent when the authorization server does not offer the device flow. */
  readonly deviceEndpoint: string | undefined;
  /** The server for which the tokens are requested (RFC 8707). */
  readonly resource: string | undefined;
  readonly scope: string | undefined;
}

export interface DiscoverOptions {
  readonly name: string;
  readonly server: McpHttpServer;
  readonly fetch: OAuthFetch;
  /** Scopes that an earlier sign-in has, and those that it was found to lack. */
  readonly knownScope: string | undefined;
}

export async function discoverAuthorization(options: DiscoverOptions): Promise<Authorization> {
  const { name, server, fetch, knownScope } = options;
  const challenge = await readChallenge(server, fetch);
  const info = await discoverOAuthServerInfo(server.url, {
    resourceMetadataUrl: challenge.resourceMetadataUrl,
    fetchFn: fetch,
  }).catch((thrown) => {
    throw toDiscoveryFault(name, thrown);
  });
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = info;
  if (!challenge.isUnauthorized && !metadata && !resourceMetadata) throw createNoSignInFault(name);
  assertResource(name, server, resourceMetadata?.resource);
  const endpoint = (path: string) => new URL(path, authorizationServerUrl).href;
  const authorization = {
    issuer: metadata?.issuer ?? authorizationServerUrl,
    authorizationServerUrl,
    metadata,
    authorizationEndpoint: metadata?.authorization_endpoint ?? endpoint('/authorize'),
    tokenEndpoint: metadata?.token_endpoint ?? endpoint('/token'),
    deviceEndpoint: readText(metadata, 'device_authorization_endpoint'),
    resource: resourceMetadata?.resource,
  };
  const { authorizationEndpoint, tokenEndpoint, deviceEndpoint } = authorization;
  for (const url of [authorizationEndpoint, tokenEndpoint, deviceEndpoint ?? tokenEndpoint])
    assertSecureUrl(url, server.url);
  assertPkce(name, metadata);
  const requested = server.oauth?.scopes?.join(' ') ?? challenge.scope ?? resourceMetadata?.scopes_supported?.join(' ');
  return { ...authorization, scope: addOfflineAccess(computeScopeUnion(requested, knownScope), metadata) };
}

/** For a server that names no authorization server and has no endpoints of its own. */
export function createNoSignInFault(name: string): Fault {
  return new Fault(
    'refused',
    `${name} offers no OAuth sign-in. If it needs a token, add it to the "headers" of its definition.`,
  );
}

interface Challenge {
  readonly isUnauthorized: boolean;
  readonly resourceMetadataUrl?: URL | undefined;
  readonly scope?: string | undefined;
}

/** The requests with which a session begins, in this order. Some servers refuse only the later ones without a token. */
const FIRST_METHODS = ['server/discover', 'initialize', 'tools/list'];

/** Sends requests without a token until the server refuses one and names its metadata (RFC 9728). */
async function readChallenge(server: McpHttpServer, fetch: OAuthFetch): Promise<Challenge> {
  for (const method of server.type === 'http' ? FIRST_METHODS : ['GET']) {
    const response = await fetch(server.url, createFirstRequest(server, method));
    if (response.status === 401) return { isUnauthorized: true, ...extractWWWAuthenticateParams(response) };
  }
  return { isUnauthorized: false };
}

/** `GET` opens the event stream of the older transport. */
function createFirstRequest({ headers: ownHeaders }: McpHttpServer, method: string): RequestInit {
  const headers = { ...ownHeaders, accept: 'application/json, text/event-stream' };
  if (method === 'GET') return { headers };
  const clientInfo = { name: 'parley', version: version() };
  const params = {
    initialize: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    'server/discover': {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }[method];
  const version2026 = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  return {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(method === 'server/discover' ? version2026 : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params ?? {} }),
  };
}

/** Tokens for another server are not requested. */
function assertResource(name: string, { url }: McpHttpServer, resource: string | undefined): void {
  if (resource === undefined) return;
  const requestedResource = resourceUrlFromServerUrl(url);
  if (checkResourceAllowed({ requestedResource, configuredResource: resource })) return;
  const claimed = JSON.stringify(resource).slice(0, 200);
  throw new Fault('refused', `The metadata of ${name} is for ${claimed}, not for ${url}. Nothing was sent.`);
}

function toDiscoveryFault(name: string, thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  if (thrown instanceof IssuerMismatchError) {
    return new Fault('refused', `The metadata of the authorization server of ${name} names another issuer.`);
  }
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const reason = getErrorMessage(cause).split('\n', 1)[0]?.slice(0, 200);
  return new Fault('refused', `The metadata of the authorization server of ${name} cannot be read: ${reason}`);
}

function assertPkce(name: string, metadata: AuthorizationServerMetadata | undefined): void {
  const methods = metadata?.code_challenge_methods_supported;
  if (!methods || methods.includes('S256')) return;
  throw new Fault('refused', `The authorization server of ${name} does not support PKCE with S256.`);
}

/** Many servers issue a refresh token only for this scope. */
function addOfflineAccess(scope: string | undefined, metadata: AuthorizationServerMetadata | undefined) {
  const isOffered = metadata?.scopes_supported?.includes('offline_access');
  return scope !== undefined && isOffered ? computeScopeUnion(scope, 'offline_access') : scope;
}

function readText(fields: object | undefined, name: string): string | undefined {
  const value: unknown = (fields as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}
