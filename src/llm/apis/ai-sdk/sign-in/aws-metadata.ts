// Gets AWS credentials from the endpoints that containers and EC2 instances offer.
import { createMalformedFault, ProviderFault } from '../../../http/provider-fault.ts';
import { redactUrl } from '../../../http/url-secrets.ts';
import type { CloudFiles, Env } from './aws-config.ts';
import { type AwsCredentials, createBedrockAuthFault, parseAwsCredentialsJson } from './aws-credentials.ts';
import { hasEc2Metadata, readTextFile } from './cloud-machine.ts';
import { type CredentialSourcePorts, type Expiring, requestCredential } from './credential-request.ts';

interface MetadataContext {
  readonly ports: CredentialSourcePorts & { readonly files: CloudFiles };
  readonly env: Env;
}

/** Credentials endpoint of ECS containers. */
const CONTAINER_HOST = 'http://169.254.170.2';

/** `undefined` if the environment names no endpoint. Not requested by the AWS SDK, which cannot be given our fetch here. */
export async function loadContainerCredentials({
  env,
  ports,
}: MetadataContext): Promise<Expiring<AwsCredentials> | undefined> {
  const path = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  const url = path ? `${CONTAINER_HOST}${path}` : env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
  if (!url) return undefined;
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = (file && (await readTextFile(ports.files, file))) || env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
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
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && (localHosts.includes(hostname) || /^127(?:\.\d{1,3}){3}$/.test(hostname)))
  );
}

/** `undefined` if this is not an EC2 instance. The AWS SDK connects to the metadata service directly, never through a proxy. */
export async function loadInstanceCredentials({
  env,
  ports,
}: MetadataContext): Promise<Expiring<AwsCredentials> | undefined> {
  if (!(await hasEc2Metadata(env, ports.files))) return undefined;
  const { fromInstanceMetadata } = await import('../vendor/aws-metadata.ts');
  // The SDK writes warnings to the console otherwise.
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  try {
    const load = fromInstanceMetadata({ timeout: 5000, maxRetries: 1, logger });
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await load();
    return { value: { accessKeyId, secretAccessKey, sessionToken }, expires: expiration?.getTime() };
  } catch (thrown) {
    throw explainInstanceError(Number((thrown as { statusCode?: unknown } | null)?.statusCode) || undefined, thrown);
  }
}

function explainInstanceError(status: number | undefined, thrown: unknown): ProviderFault {
  const prefix = 'Amazon returned no credentials for this instance: the EC2 metadata service';
  if (thrown instanceof SyntaxError) return createMalformedFault(`${prefix} sent an invalid response`);
  if (status === undefined) return new ProviderFault({ kind: 'network' }, `${prefix} cannot be reached`);
  const hint = status === 404 ? '. Attach an IAM role to the instance' : '';
  const kind = status < 500 && status !== 429 ? 'auth' : 'server';
  return new ProviderFault({ kind, status }, `${prefix} answered with status ${status}${hint}`);
}
