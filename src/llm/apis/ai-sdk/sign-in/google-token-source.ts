// Gets Google Cloud access tokens for the account of a credentials file, or of the machine.
import { tryParseObject } from '../../../../base/index.ts';
import { createCachedFile } from '../../../cached-file.ts';
import { createMalformedFault, ProviderFault } from '../../../http/provider-fault.ts';
import type { CloudFiles, Env } from './aws-config.ts';
import { getGcloudCredentialsPath, hasGoogleMetadata } from './cloud-machine.ts';
import {
  type CredentialFetch,
  type CredentialSourcePorts,
  createCredentialFetch,
  createExpiringCache,
  type Expiring,
  requestCredential,
} from './credential-request.ts';
import { createVertexAuthFault, type GoogleAccount, getAccountProject, parseGoogleAccount } from './google-account.ts';

export interface GoogleToken {
  readonly token: string;
  /** The project of the account, used when the environment names none. */
  readonly project?: string | undefined;
}

export interface GooglePorts extends CredentialSourcePorts {
  files: CloudFiles;
}

const TOKEN_LIFETIME_MS = 3600_000;
/** The address of `metadata.google.internal`. */
const METADATA_HOST = '169.254.169.254';

/** Resolves with `undefined` if there is neither a credentials file nor a metadata server. */
export function createGoogleTokenSource(ports: GooglePorts, env: Env): () => Promise<GoogleToken | undefined> {
  const { GOOGLE_APPLICATION_CREDENTIALS: namedPath } = env;
  const path = namedPath || getGcloudCredentialsPath(env);
  const origin = namedPath ? `GOOGLE_APPLICATION_CREDENTIALS names ${path}` : `gcloud has written ${path}`;
  const file = createCachedFile(ports.files, path, async (content) =>
    content === undefined && !namedPath ? undefined : parseGoogleAccount(content, origin),
  );
  const getCached = createExpiringCache<GoogleToken>(ports.clock);
  return async () => {
    const account = await file.read();
    if (account) return getCached(account, () => requestAccountToken(ports, account));
    if (!(await hasGoogleMetadata(env, ports.files))) return undefined;
    return getCached('metadata server', () => requestMachineToken(ports, env));
  };
}

async function requestAccountToken(ports: GooglePorts, account: GoogleAccount): Promise<Expiring<GoogleToken>> {
  const credentialFetch = createCredentialFetch(ports, createSource(findAccountSecrets(account)));
  try {
    const { createGoogleClient } = await import('./google-clients.ts');
    const client = createGoogleClient(account, credentialFetch.fetch);
    const { token } = await client.getAccessToken();
    if (!token) throw createMalformedFault('Google returned no token');
    const expires = client.credentials.expiry_date ?? ports.clock.now() + TOKEN_LIFETIME_MS;
    return { value: { token, project: getAccountProject(account) }, expires };
  } catch (thrown) {
    if (thrown instanceof ProviderFault) throw thrown;
    // Errors of the library may quote the key or the response.
    throw credentialFetch.failure?.fault ?? explainError(account, credentialFetch);
  }
}

/** The account that the metadata server offers to programs on this machine. */
async function requestMachineToken(ports: GooglePorts, env: Env): Promise<Expiring<GoogleToken>> {
  const base = `http://${env.GCE_METADATA_HOST || METADATA_HOST}/computeMetadata/v1`;
  const request = (path: string) =>
    requestCredential(ports, `${base}/${path}`, { headers: { 'metadata-flavor': 'Google' } }, createSource([]));
  const [tokenText, project] = await Promise.all([
    request('instance/service-accounts/default/token'),
    request('project/project-id').catch(() => undefined),
  ]);
  const { access_token: token, expires_in: seconds } = tryParseObject(tokenText) ?? {};
  if (typeof token !== 'string' || token === '') throw createMalformedFault('The metadata server returned no token');
  const lifetimeMs = Number(seconds) * 1000 || TOKEN_LIFETIME_MS;
  return { value: { token, project: project?.trim() }, expires: ports.clock.now() + lifetimeMs };
}

function explainError(account: GoogleAccount, { hasResponse }: CredentialFetch) {
  if (hasResponse) return createMalformedFault('Google returned no token');
  return createVertexAuthFault(
    account.type === 'service_account'
      ? 'the private_key of the account cannot be read'
      : `the token of the account (${account.type}) cannot be read: check credential_source in the file`,
  );
}

function createSource(secrets: readonly string[]) {
  return { name: 'Google Cloud', credentialName: 'token', secrets };
}

/** Also the secrets of the account that impersonates another one. */
function findAccountSecrets(account: object): string[] {
  return Object.entries(account).flatMap(([name, value]) => {
    if (name === 'source_credentials') return findAccountSecrets(Object(value));
    return /^(private_key|client_secret|refresh_token)$/.test(name) ? [String(value)] : [];
  });
}
