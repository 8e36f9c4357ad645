// Gets AWS credentials from STS, SSO and `aws login` with the clients of the AWS SDK, whose requests use our ports.
import { createHash } from 'node:crypto';
import { ProviderFault } from '../../../http/provider-fault.ts';
import { type AwsConfig, type CloudFiles, type Env, getAwsDirectory, type Section } from './aws-config.ts';
import { type AwsCredentials, createBedrockAuthFault } from './aws-credentials.ts';
import {
  type CredentialFetch,
  type CredentialSourcePorts,
  createCredentialFetch,
  type Expiring,
} from './credential-request.ts';

export interface AwsServiceContext {
  readonly ports: CredentialSourcePorts & { readonly files: CloudFiles };
  readonly env: Env;
  readonly config: AwsConfig;
  readonly region: string;
}

export interface AwsRole {
  readonly arn: string;
  readonly sessionName: string | undefined;
  readonly externalId?: string | undefined;
  readonly seconds?: string | undefined;
  /** The code that the user's MFA device shows now. */
  readonly mfa?: { readonly serialNumber: string; readonly code: string } | undefined;
}

interface SdkCredentials extends AwsCredentials {
  readonly expiration?: Date | undefined;
}

const DEFAULT_SESSION_NAME = 'parley';

/** Signed with keys that are allowed to assume the role. */
export async function assumeRole(
  context: AwsServiceContext,
  role: AwsRole,
  keys: AwsCredentials,
): Promise<Expiring<AwsCredentials>> {
  const credentialFetch = createAwsFetch(context, `credentials for the role ${role.arn}`);
  const { getDefaultRoleAssumer } = await import('../vendor/aws-sts.ts');
  const params = {
    RoleArn: role.arn,
    RoleSessionName: role.sessionName || DEFAULT_SESSION_NAME,
    ...(role.externalId ? { ExternalId: role.externalId } : {}),
    ...(role.seconds ? { DurationSeconds: Number(role.seconds) } : {}),
    ...(role.mfa ? { SerialNumber: role.mfa.serialNumber, TokenCode: role.mfa.code } : {}),
  };
  const config = await createStsConfig(context, credentialFetch);
  return callSdk(credentialFetch, `the role ${role.arn}`, () =>
    getDefaultRoleAssumer(config)(omitUndefined(keys), params),
  );
}

/** `token` is an OIDC web-identity token. */
export async function assumeRoleWithWebIdentity(
  context: AwsServiceContext,
  role: AwsRole,
  token: string,
): Promise<Expiring<AwsCredentials>> {
  const credentialFetch = createAwsFetch(context, `credentials for the role ${role.arn}`, [token]);
  const { getDefaultRoleAssumerWithWebIdentity } = await import('../vendor/aws-sts.ts');
  const params = {
    RoleArn: role.arn,
    RoleSessionName: role.sessionName || DEFAULT_SESSION_NAME,
    WebIdentityToken: token,
  };
  const config = await createStsConfig(context, credentialFetch);
  return callSdk(credentialFetch, `the role ${role.arn}`, () => getDefaultRoleAssumerWithWebIdentity(config)(params));
}

/** The SDK renews an expired login if it contains a refresh token, and stores the new one. */
export async function loadSsoCredentials(
  context: AwsServiceContext,
  name: string,
  profile: Section,
): Promise<Expiring<AwsCredentials>> {
  const { ports, env, config } = context;
  const session = profile.get('sso_session');
  const ssoSection = session === undefined ? profile : config.ssoSession(session);
  if (!ssoSection)
    throw createBedrockAuthFault(`the profile ${name} refers to the sso_session ${session}, which does not exist`);
  const requireSetting = (section: Section, key: string): string => {
    const value = section.get(key);
    if (value === undefined) throw createBedrockAuthFault(`the profile ${name} has no ${key}`);
    return value;
  };
  const [account, role] = [requireSetting(profile, 'sso_account_id'), requireSetting(profile, 'sso_role_name')];
  const [region, startUrl] = [requireSetting(ssoSection, 'sso_region'), requireSetting(ssoSection, 'sso_start_url')];
  const loginHint = `Sign in with: aws sso login --profile ${name}`;
  const hash = createHash('sha1')
    .update(session ?? startUrl)
    .digest('hex');
  if (!(await ports.files.info(`${getAwsDirectory(env)}/sso/cache/${hash}.json`)))
    throw createBedrockAuthFault(`there is no SSO login for the profile ${name}. ${loginHint}`);
  const credentialFetch = createAwsFetch(context, `credentials for the role ${role}`);
  const { fromSSO } = await import('../vendor/aws-sso.ts');
  const settings = { ssoStartUrl: startUrl, ssoAccountId: account, ssoRegion: region, ssoRoleName: role };
  const provider = fromSSO({
    ...settings,
    ...(session === undefined ? {} : { ssoSession: session }),
    ...getProfileOptions(config, name),
    clientConfig: await createClientConfig(credentialFetch),
  });
  return callSdk(credentialFetch, '', provider, () =>
    createBedrockAuthFault(`the SSO login of the profile ${name} has expired. ${loginHint}`),
  );
}

/** For profiles of `aws login`. */
export async function loadLoginCredentials(
  context: AwsServiceContext,
  name: string,
): Promise<Expiring<AwsCredentials>> {
  const credentialFetch = createAwsFetch(context, `credentials for the profile ${name}`);
  const { fromLoginCredentials } = await import('../vendor/aws-login.ts');
  const provider = fromLoginCredentials({
    ...getProfileOptions(context.config, name),
    clientConfig: await createClientConfig(credentialFetch),
  });
  return callSdk(credentialFetch, '', provider, () =>
    createBedrockAuthFault(`the login of the profile ${name} is missing or has expired. Sign in with: aws login`),
  );
}

/** The SDK reads the profile again, because it keeps the login of a profile in a file of its own. */
function getProfileOptions({ paths: [filepath, configFilepath] }: AwsConfig, profile: string) {
  return { profile, filepath, configFilepath, ignoreCache: true };
}

function createAwsFetch({ ports }: AwsServiceContext, credentialName: string, secrets: readonly string[] = []) {
  return createCredentialFetch(ports, { name: 'Amazon', credentialName, secrets });
}

async function createStsConfig({ env, region }: AwsServiceContext, credentialFetch: CredentialFetch) {
  const endpoint = env.AWS_ENDPOINT_URL_STS;
  return { ...(await createClientConfig(credentialFetch)), region, ...(endpoint ? { endpoint } : {}) };
}

/** Failed requests are retried with the request to the model. */
async function createClientConfig({ fetch }: CredentialFetch) {
  // The SDK prints a warning about the version of Node, which users of Parley cannot act on.
  (await import('../vendor/aws-core.ts')).state.warningEmitted = true;
  return { requestHandler: createRequestHandler(fetch), maxAttempts: 1 };
}

/** A request as the clients of the AWS SDK describe it. */
interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly method: string;
  readonly query?: Readonly<Record<string, string | string[] | null>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

function createRequestHandler(fetch: CredentialFetch['fetch']) {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    updateHttpClientConfig() {},
    httpHandlerConfigs: () => ({}),
    async handle({ protocol, hostname, port, path, method, query = {}, headers, body }: SdkRequest) {
      const url = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}${path}`);
      for (const [name, value] of Object.entries(query)) {
        for (const part of [value].flat()) url.searchParams.append(name, part ?? '');
      }
      // fetch writes both headers itself.
      const { host: _, 'content-length': __, ...rest } = headers;
      const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : (body as string | undefined);
      const response = await fetch(url, { method, headers: rest, ...(text ? { body: text } : {}) });
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { response: { statusCode: response.status, headers: Object.fromEntries(response.headers), body: bytes } };
    },
  };
}

/** `explain` describes an error that is not a failed request, or that is a rejected renewal of a login. */
async function callSdk(
  credentialFetch: CredentialFetch,
  subject: string,
  load: () => Promise<SdkCredentials>,
  explain = () => createBedrockAuthFault(`the response for ${subject} contains no credentials`),
): Promise<Expiring<AwsCredentials>> {
  try {
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await load();
    return { value: { accessKeyId, secretAccessKey, sessionToken }, expires: expiration?.getTime() };
  } catch {
    // Errors of the SDK may quote a response, which contains secrets.
    const { url = '', fault } = credentialFetch.failure ?? {};
    const isRejectedRenewal =
      fault instanceof ProviderFault && fault.providerFailure.kind === 'auth' && url.endsWith('/token');
    throw fault && !isRejectedRenewal ? fault : explain();
  }
}

function omitUndefined({ sessionToken, ...keys }: AwsCredentials) {
  return { ...keys, ...(sessionToken === undefined ? {} : { sessionToken }) };
}
