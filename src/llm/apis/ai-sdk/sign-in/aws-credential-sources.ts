// Selects the source of AWS credentials: the settings of a profile, or what the environment offers.
import type { AwsConfig, CloudFiles, Section } from './aws-config.ts';
import {
  type AwsCredentials,
  createBedrockAuthFault,
  parseAwsCredentialsJson,
  readStaticCredentials,
} from './aws-credentials.ts';
import { loadContainerCredentials, loadInstanceCredentials } from './aws-metadata.ts';
import {
  type AwsRole,
  type AwsServiceContext,
  assumeRole,
  assumeRoleWithWebIdentity,
  loadLoginCredentials,
  loadSsoCredentials,
} from './aws-services.ts';
import { readTextFile } from './cloud-machine.ts';
import type { CredentialSourcePorts, Expiring } from './credential-request.ts';

export interface AwsPorts extends CredentialSourcePorts {
  readonly files: CloudFiles;
  /** Runs a command of the user and returns its output. */
  readonly runCommand?: ((command: string) => Promise<string>) | undefined;
  /** Asks the user for a text. Returns `undefined` when no user can answer. */
  readonly askUser?: ((question: string) => Promise<string | undefined>) | undefined;
}

export interface AwsCredentialContext extends AwsServiceContext {
  readonly ports: AwsPorts;
}

type Credentials = Expiring<AwsCredentials>;

/** `profileChain` lists the profiles that refer to this one. A role may use the keys of another profile or of the same one. */
export async function loadProfileCredentials(
  context: AwsCredentialContext,
  name: string,
  profileChain: readonly string[] = [],
): Promise<Credentials> {
  const profile = context.config.profile(name);
  if (!profile) throw createUnknownProfileFault(context, name, profileChain);
  const isRepeated = profileChain.includes(name);
  if (!isRepeated && profile.has('role_arn') && !profile.has('web_identity_token_file')) {
    return loadRoleCredentials(context, name, profile, [...profileChain, name]);
  }
  const keys = readStaticCredentials(profile);
  if (keys) return keys;
  if (isRepeated) throw createBedrockAuthFault(`the profiles ${[...profileChain, name].join(' → ')} form a cycle`);
  const tokenFile = profile.get('web_identity_token_file');
  if (tokenFile !== undefined) return loadWebIdentityCredentials(context, tokenFile, readRole(profile));
  const command = profile.get('credential_process');
  if (command !== undefined) return runCredentialProcess(context, name, command);
  if (profile.has('sso_session') || profile.has('sso_start_url')) return loadSsoCredentials(context, name, profile);
  if (profile.has('login_session')) return loadLoginCredentials(context, name);
  throw createBedrockAuthFault(`the profile ${name} has no credentials. ${describeExport(name)}`);
}

/** Credentials that AWS provides to programs on its machines, for use without a profile. */
export async function loadEnvironmentCredentials(context: AwsCredentialContext): Promise<Credentials | undefined> {
  const { env } = context;
  if (env.AWS_WEB_IDENTITY_TOKEN_FILE && env.AWS_ROLE_ARN) {
    const role = { arn: env.AWS_ROLE_ARN, sessionName: env.AWS_ROLE_SESSION_NAME };
    return loadWebIdentityCredentials(context, env.AWS_WEB_IDENTITY_TOKEN_FILE, role);
  }
  return (await loadContainerCredentials(context)) ?? loadInstanceCredentials(context);
}

async function loadRoleCredentials(
  context: AwsCredentialContext,
  name: string,
  profile: Section,
  profileChain: readonly string[],
): Promise<Credentials> {
  const region = context.env.AWS_REGION || context.env.AWS_DEFAULT_REGION || profile.get('region') || context.region;
  const { value } = await loadSourceCredentials(context, name, profile, profileChain);
  const mfa = await askForMfaCode(context, name, profile);
  return assumeRole({ ...context, region }, { ...readRole(profile), mfa }, value);
}

/** Asked for last, because a code is valid for 30 seconds. */
async function askForMfaCode({ ports }: AwsCredentialContext, name: string, profile: Section): Promise<AwsRole['mfa']> {
  const serialNumber = profile.get('mfa_serial');
  if (serialNumber === undefined) return undefined;
  const code = (await ports.askUser?.(`MFA code of ${serialNumber} for the AWS profile ${name}`))?.trim();
  if (code) return { serialNumber, code };
  throw createBedrockAuthFault(
    `the profile ${name} requires an MFA code (mfa_serial), and none was entered. ${describeExport(name)}`,
  );
}

async function loadSourceCredentials(
  context: AwsCredentialContext,
  name: string,
  profile: Section,
  profileChain: readonly string[],
): Promise<Credentials> {
  const source = profile.get('source_profile');
  if (source !== undefined) return loadProfileCredentials(context, source, profileChain);
  const credentialSource = profile.get('credential_source');
  const credentials = await loadNamedSource(context, credentialSource);
  if (credentials) return credentials;
  const reason =
    credentialSource === undefined
      ? 'source_profile is missing'
      : `credential_source is ${credentialSource}, which is not available here`;
  throw createBedrockAuthFault(`the role of the profile ${name} cannot be assumed: ${reason}. ${describeExport(name)}`);
}

/** `Environment` is not supported: the keys of the environment are used without a role. */
async function loadNamedSource(
  context: AwsCredentialContext,
  source: string | undefined,
): Promise<Credentials | undefined> {
  if (source === 'EcsContainer') return loadContainerCredentials(context);
  return source === 'Ec2InstanceMetadata' ? loadInstanceCredentials(context) : undefined;
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
): Promise<Credentials> {
  const token = await readTextFile(context.ports.files, path);
  if (!token)
    throw createBedrockAuthFault(
      `the web identity token for the role ${role.arn} is missing: ${path} does not exist or is empty`,
    );
  return assumeRoleWithWebIdentity(context, role, token);
}

/** Not run by the AWS SDK, because the command must end together with this process. */
async function runCredentialProcess(
  { ports }: AwsCredentialContext,
  name: string,
  command: string,
): Promise<Credentials> {
  if (!ports.runCommand)
    throw createBedrockAuthFault(`the profile ${name} uses credential_process, but commands cannot be run here`);
  return parseAwsCredentialsJson(await ports.runCommand(command), `The credential_process of the profile ${name}`);
}

function createUnknownProfileFault({ config }: { config: AwsConfig }, name: string, profileChain: readonly string[]) {
  const chainNote = profileChain.length === 0 ? '' : `, which the profile ${profileChain.at(-1)} refers to`;
  const hint = profileChain.length === 0 ? '. Set AWS_PROFILE to another profile, or set AWS_BEARER_TOKEN_BEDROCK' : '';
  return createBedrockAuthFault(`there is no profile ${name} in ${config.paths.join(' or ')}${chainNote}${hint}`);
}

function describeExport(name: string): string {
  return `Export credentials: eval "$(aws configure export-credentials --profile ${name} --format env)"`;
}
