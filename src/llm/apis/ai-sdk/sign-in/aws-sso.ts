// Gets AWS credentials from the SSO portal with the token that `aws sso login` stored.
import { createHash } from 'node:crypto';
import { type AwsConfig, type CloudFiles, type Env, getAwsDirectory, type Section } from './aws-config.ts';
import { type AwsCredentials, createBedrockAuthFault, parseAwsCredentialsJson } from './aws-credentials.ts';
import { type CredentialSourcePorts, type Expiring, parseFields, requestCredential } from './request-credential.ts';

interface SsoContext {
  readonly ports: CredentialSourcePorts & { readonly files: CloudFiles };
  readonly env: Env;
  readonly config: AwsConfig;
}

export async function loadSsoCredentials(
  context: SsoContext,
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
  const region = requireSetting(ssoSection, 'sso_region');
  const token = await readSsoToken(context, name, session ?? requireSetting(ssoSection, 'sso_start_url'));
  const url = new URL('federation/credentials', addTrailingSlash(env.AWS_ENDPOINT_URL_SSO || buildPortalUrl(region)));
  url.search = new URLSearchParams({ role_name: role, account_id: account }).toString();
  const source = { name: 'Amazon', credentialName: `credentials for the role ${role}`, secrets: [token] };
  const headers = { accept: 'application/json', 'x-amz-sso_bearer_token': token };
  return parseAwsCredentialsJson(
    await requestCredential(ports, url.href, { headers }, source),
    url.host,
    'roleCredentials',
  );
}

/** Not cached, because `aws sso login` changes only this file. */
async function readSsoToken({ ports, env }: SsoContext, name: string, owner: string): Promise<string> {
  const file = `${getAwsDirectory(env)}/sso/cache/${createHash('sha1').update(owner).digest('hex')}.json`;
  const loginHint = `Sign in with: aws sso login --profile ${name}`;
  const info = await ports.files.info(file);
  if (info?.kind !== 'file')
    throw createBedrockAuthFault(`there is no SSO login for the profile ${name}. ${loginHint}`);
  const { accessToken, expiresAt } = parseFields(new TextDecoder().decode(await ports.files.read(file)));
  if (typeof accessToken !== 'string' || !(Date.parse(String(expiresAt)) > ports.clock.now())) {
    throw createBedrockAuthFault(`the SSO login of the profile ${name} has expired. ${loginHint}`);
  }
  return accessToken;
}

function buildPortalUrl(region: string): string {
  return `https://portal.sso.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

function addTrailingSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
