// First floor, llm: where Amazon's keys come from, after what a profile or the environment says. Follows it from place to place.
import { publicAddress } from '../../../http/address.ts';
import type { AwsBook, CloudFiles, Env, Section } from './aws-files.ts';
import { type AwsKeys, keysInJson, locked } from './aws-keys.ts';
import { keysOfSignIn } from './aws-sso.ts';
import { assumeRole, assumeRoleWithToken, type Role } from './aws-sts.ts';
import { exchange, type Good, type KeeperPorts } from './exchange.ts';

export interface AwsPorts extends KeeperPorts {
  readonly files: CloudFiles;
  /** What a command of the user's prints. */
  readonly print?: ((command: string) => Promise<string>) | undefined;
}

export interface Search {
  readonly ports: AwsPorts;
  readonly env: Env;
  readonly book: AwsBook;
  readonly region: string;
}

/** Where containers of Amazon are told their keys. */
const CONTAINER_HOST = 'http://169.254.170.2';

/** `behind` are the profiles that lead here: a role may be taken on with the keys of another profile, or of the same. */
export async function keysOfProfile(
  search: Search,
  name: string,
  behind: readonly string[] = [],
): Promise<Good<AwsKeys>> {
  const profile = search.book.profile(name);
  if (!profile) throw unknown(search, name, behind);
  const again = behind.includes(name);
  if (!again && profile.has('role_arn') && !profile.has('web_identity_token_file')) {
    return keysOfRole(search, name, profile, [...behind, name]);
  }
  const accessKeyId = profile.get('aws_access_key_id');
  const secretAccessKey = profile.get('aws_secret_access_key');
  if (accessKeyId && secretAccessKey) {
    return { value: { accessKeyId, secretAccessKey, sessionToken: profile.get('aws_session_token') } };
  }
  if (again) throw locked(`the profiles ${[...behind, name].join(' → ')} lead in a circle`);
  const tokenFile = profile.get('web_identity_token_file');
  if (tokenFile !== undefined) return keysForToken(search, tokenFile, roleOf(profile));
  const command = profile.get('credential_process');
  if (command !== undefined) return printed(search, name, command);
  if (profile.has('sso_session') || profile.has('sso_start_url')) return keysOfSignIn(search, name, profile);
  throw locked(`the profile ${name} holds no keys. ${exported(name)}`);
}

/** What Amazon's own places say to the programs that run there, when no profile does. */
export async function keysOfSurroundings(search: Search): Promise<Good<AwsKeys | undefined>> {
  const { env } = search;
  if (env.AWS_WEB_IDENTITY_TOKEN_FILE && env.AWS_ROLE_ARN) {
    const role = { arn: env.AWS_ROLE_ARN, sessionName: env.AWS_ROLE_SESSION_NAME };
    return keysForToken(search, env.AWS_WEB_IDENTITY_TOKEN_FILE, role);
  }
  const path = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  const url = path ? `${CONTAINER_HOST}${path}` : env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
  return url ? keysOfContainer(search, url) : { value: undefined };
}

async function keysOfRole(
  search: Search,
  name: string,
  profile: Section,
  behind: readonly string[],
): Promise<Good<AwsKeys>> {
  if (profile.has('mfa_serial')) {
    throw locked(
      `the profile ${name} asks a person for a code (mfa_serial), which cannot be done here. ${exported(name)}`,
    );
  }
  const region = search.env.AWS_REGION || search.env.AWS_DEFAULT_REGION || profile.get('region') || search.region;
  const { value } = await sourceOf(search, name, profile, behind);
  return assumeRole({ ...search, region }, roleOf(profile), value);
}

async function sourceOf(
  search: Search,
  name: string,
  profile: Section,
  behind: readonly string[],
): Promise<Good<AwsKeys>> {
  const source = profile.get('source_profile');
  if (source !== undefined) return keysOfProfile(search, source, behind);
  const place = profile.get('credential_source');
  if (place === 'EcsContainer') {
    const { value, expires } = await keysOfSurroundings(search);
    if (value) return { value, expires };
  }
  const why =
    place === undefined ? 'source_profile is missing' : `credential_source is ${place}, which gives none here`;
  throw locked(`the role of the profile ${name} cannot be taken on: ${why}. ${exported(name)}`);
}

function roleOf(profile: Section): Role {
  return {
    arn: profile.get('role_arn') ?? '',
    sessionName: profile.get('role_session_name'),
    externalId: profile.get('external_id'),
    seconds: profile.get('duration_seconds'),
  };
}

async function keysForToken(search: Search, path: string, role: Role): Promise<Good<AwsKeys>> {
  const token = await textOf(search, path);
  if (!token) throw locked(`the token that opens the role ${role.arn} should be in ${path}, where there is none`);
  return assumeRoleWithToken(search, role, token);
}

async function printed({ ports }: Search, name: string, command: string): Promise<Good<AwsKeys>> {
  if (!ports.print) throw locked(`the profile ${name} names a command (credential_process), and none can be run here`);
  return keysInJson(await ports.print(command), `The credential_process of the profile ${name}`);
}

async function keysOfContainer(search: Search, url: string): Promise<Good<AwsKeys>> {
  const { env, ports } = search;
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = (file && (await textOf(search, file))) || env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  if (!isNear(url))
    throw locked(
      `AWS_CONTAINER_CREDENTIALS_FULL_URI (${publicAddress(url)}) is neither https nor near enough to be trusted`,
    );
  const keeper = { name: 'Amazon', gift: 'keys for this container', secrets: token ? [token] : [] };
  const headers: Record<string, string> = token ? { authorization: token } : {};
  return keysInJson(await exchange(ports, url, { headers }, keeper), new URL(url).host);
}

/** Over plain HTTP only this machine and Amazon's own addresses beside it. */
function isNear(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  const beside = ['localhost', '[::1]', '169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'];
  return protocol === 'https:' || (protocol === 'http:' && (beside.includes(hostname) || /^127\./.test(hostname)));
}

async function textOf({ ports }: Search, path: string): Promise<string | undefined> {
  const info = await ports.files.info(path);
  return info?.kind === 'file' ? new TextDecoder().decode(await ports.files.read(path)).trim() : undefined;
}

function unknown({ book }: Search, name: string, behind: readonly string[]) {
  const led = behind.length === 0 ? '' : `, to which ${behind.at(-1)} leads`;
  const way = behind.length === 0 ? '. Name another in AWS_PROFILE, or set AWS_BEARER_TOKEN_BEDROCK' : '';
  return locked(`there is no profile ${name} in ${book.paths.join(' or ')}${led}${way}`);
}

function exported(name: string): string {
  return `Export keys: eval "$(aws configure export-credentials --profile ${name} --format env)"`;
}
