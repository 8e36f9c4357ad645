// Loads AWS credentials from profiles, roles, commands, web identity tokens and container endpoints.
import { redactUrl } from '../../../http/url-secrets.ts';
import type { AwsConfig, CloudFiles, Env, Section } from './aws-config.ts';
import { type AwsCredentials, createBedrockAuthFault, parseAwsCredentialsJson } from './aws-credentials.ts';
import { loadSsoCredentials } from './aws-sso.ts';
import { type AwsRole, assumeRole, assumeRoleWithWebIdentity } from './aws-sts.ts';
import { type CredentialSourcePorts, type Expiring, requestCredential } from './request-credential.ts';

export interface AwsPorts extends CredentialSourcePorts {
  readonly files: CloudFiles;
  /** Runs a command of the user and returns its output. */
  readonly runCommand?: ((command: string) => Promise<string>) | undefined;
}

export interface AwsCredentialContext {
  readonly ports: AwsPorts;
  readonly env: Env;
  readonly config: AwsConfig;
  readonly region: string;
}

/** Credentials endpoint of ECS containers. */
const CONTAINER_HOST = 'http://169.254.170.2';

/** `profileChain` lists the profiles that refer to this one. A role may use the keys of another profile or of the same one. */
export async function loadProfileCredentials(
  context: AwsCredentialContext,
  name: string,
  profileChain: readonly string[] = [],
): Promise<Expiring<AwsCredentials>> {
  const profile = context.config.profile(name);
  if (!profile) throw createUnknownProfileFault(context, name, profileChain);
  const isRepeated = profileChain.includes(name);
  if (!isRepeated && profile.has('role_arn') && !profile.has('web_identity_token_file')) {
    return loadRoleCredentials(context, name, profile, [...profileChain, name]);
  }
  const accessKeyId = profile.get('aws_access_key_id');
  const secretAccessKey = profile.get('aws_secret_access_key');
  if (accessKeyId && secretAccessKey) {
    return { value: { accessKeyId, secretAccessKey, sessionToken: profile.get('aws_session_token') } };
  }
  if (isRepeated) throw createBedrockAuthFault(`the profiles ${[...profileChain, name].join(' → ')} form a cycle`);
  const tokenFile = profile.get('web_identity_token_file');
  if (tokenFile !== undefined) return loadWebIdentityCredentials(context, tokenFile, readRole(profile));
  const command = profile.get('credential_process');
  if (command !== undefined) return runCredentialProcess(context, name, command);
  if (profile.has('sso_session') || profile.has('sso_start_url')) return loadSsoCredentials(context, name, profile);
  throw createBedrockAuthFault(`the profile ${name} has no credentials. ${describeExport(name)}`);
}

/** Credentials that AWS provides to programs in its containers, for use without a profile. */
export async function loadEnvironmentCredentials(
  context: AwsCredentialContext,
): Promise<Expiring<AwsCredentials | undefined>> {
  const { env } = context;
  if (env.AWS_WEB_IDENTITY_TOKEN_FILE && env.AWS_ROLE_ARN) {
    const role = { arn: env.AWS_ROLE_ARN, sessionName: env.AWS_ROLE_SESSION_NAME };
    return loadWebIdentityCredentials(context, env.AWS_WEB_IDENTITY_TOKEN_FILE, role);
  }
  const path = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  const url = path ? `${CONTAINER_HOST}${path}` : env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
  return url ? loadContainerCredentials(context, url) : { value: undefined };
}

async function loadRoleCredentials(
  context: AwsCredentialContext,
  name: string,
  profile: Section,
  profileChain: readonly string[],
): Promise<Expiring<AwsCredentials>> {
  if (profile.has('mfa_serial')) {
    throw createBedrockAuthFault(
      `the profile ${name} requires an MFA code (mfa_serial), which is not supported. ${describeExport(name)}`,
    );
  }
  const region = context.env.AWS_REGION || context.env.AWS_DEFAULT_REGION || profile.get('region') || context.region;
  const { value } = await loadSourceCredentials(context, name, profile, profileChain);
  return assumeRole({ ...context, region }, readRole(profile), value);
}

async function loadSourceCredentials(
  context: AwsCredentialContext,
  name: string,
  profile: Section,
  profileChain: readonly string[],
): Promise<Expiring<AwsCredentials>> {
  const source = profile.get('source_profile');
  if (source !== undefined) return loadProfileCredentials(context, source, profileChain);
  const credentialSource = profile.get('credential_source');
  if (credentialSource === 'EcsContainer') {
    const { value, expires } = await loadEnvironmentCredentials(context);
    if (value) return { value, expires };
  }
  const reason =
    credentialSource === undefined
      ? 'source_profile is missing'
      : `credential_source is ${credentialSource}, which is not available here`;
  throw createBedrockAuthFault(`the role of the profile ${name} cannot be assumed: ${reason}. ${describeExport(name)}`);
}

function readRole(profile: Section): AwsRole {
  return {
    arn: profile.get('role_arn') ?? '',
    sessionName: profile.get('role_session_name'),
    externalId: profile.get('external_id'),
    seconds: profile.get('duration_seconds'),
  };
}

async function loadWebIdentityCredentials(
  context: AwsCredentialContext,
  path: string,
  role: AwsRole,
): Promise<Expiring<AwsCredentials>> {
  const token = await readTextFile(context, path);
  if (!token)
    throw createBedrockAuthFault(
      `the web identity token for the role ${role.arn} is missing: ${path} does not exist or is empty`,
    );
  return assumeRoleWithWebIdentity(context, role, token);
}

async function runCredentialProcess(
  { ports }: AwsCredentialContext,
  name: string,
  command: string,
): Promise<Expiring<AwsCredentials>> {
  if (!ports.runCommand)
    throw createBedrockAuthFault(`the profile ${name} uses credential_process, but commands cannot be run here`);
  return parseAwsCredentialsJson(await ports.runCommand(command), `The credential_process of the profile ${name}`);
}

async function loadContainerCredentials(context: AwsCredentialContext, url: string): Promise<Expiring<AwsCredentials>> {
  const { env, ports } = context;
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = (file && (await readTextFile(context, file))) || env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  if (!isTrustedUrl(url))
    throw createBedrockAuthFault(
      `AWS_CONTAINER_CREDENTIALS_FULL_URI (${redactUrl(url)}) is neither an https URL nor a trusted local address`,
    );
  const source = { name: 'Amazon', credentialName: 'credentials for this container', secrets: token ? [token] : [] };
  const headers: Record<string, string> = token ? { authorization: token } : {};
  return parseAwsCredentialsJson(await requestCredential(ports, url, { headers }, source), new URL(url).host);
}

/** Plain HTTP is allowed only for loopback addresses and the container endpoints of AWS. */
function isTrustedUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  const localHosts = ['localhost', '[::1]', '169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'];
  return protocol === 'https:' || (protocol === 'http:' && (localHosts.includes(hostname) || /^127\./.test(hostname)));
}

async function readTextFile({ ports }: AwsCredentialContext, path: string): Promise<string | undefined> {
  const info = await ports.files.info(path);
  return info?.kind === 'file' ? new TextDecoder().decode(await ports.files.read(path)).trim() : undefined;
}

function createUnknownProfileFault({ config }: AwsCredentialContext, name: string, profileChain: readonly string[]) {
  const chainNote = profileChain.length === 0 ? '' : `, which the profile ${profileChain.at(-1)} refers to`;
  const hint = profileChain.length === 0 ? '. Set AWS_PROFILE to another profile, or set AWS_BEARER_TOKEN_BEDROCK' : '';
  return createBedrockAuthFault(`there is no profile ${name} in ${config.paths.join(' or ')}${chainNote}${hint}`);
}

function describeExport(name: string): string {
  return `Export credentials: eval "$(aws configure export-credentials --profile ${name} --format env)"`;
}
