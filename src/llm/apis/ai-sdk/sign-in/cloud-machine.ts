// Detects a machine of Amazon or Google, and the credential files of their command-line programs. Sends no requests.
import { type CloudFiles, type Env, getAwsPaths } from './aws-config.ts';

/** Whether a request to this provider can succeed without a key and without a variable that names a sign-in. */
export async function hasCloudSignIn(provider: string, env: Env, files: CloudFiles): Promise<boolean> {
  const exists = async (path: string) => (await files.info(path))?.kind === 'file';
  if (provider === 'amazon-bedrock') {
    const found = await Promise.all([...getAwsPaths(env).map(exists), hasEc2Metadata(env, files)]);
    return found.includes(true);
  }
  if (provider !== 'google-vertex') return false;
  return (await exists(getGcloudCredentialsPath(env))) || hasGoogleMetadata(env, files);
}

/** Whether the metadata service of EC2 can be expected. */
export async function hasEc2Metadata(env: Env, files: CloudFiles): Promise<boolean> {
  const disabled = env.AWS_EC2_METADATA_DISABLED;
  if (disabled && disabled !== 'false') return false;
  if (env.AWS_EC2_METADATA_SERVICE_ENDPOINT) return true;
  const [vendor, uuid] = await Promise.all([
    readTextFile(files, '/sys/class/dmi/id/sys_vendor'),
    readTextFile(files, '/sys/hypervisor/uuid'),
  ]);
  return vendor === 'Amazon EC2' || !!uuid?.startsWith('ec2');
}

/** Whether the metadata server of Google Cloud can be expected. */
export async function hasGoogleMetadata(env: Env, files: CloudFiles): Promise<boolean> {
  if (env.METADATA_SERVER_DETECTION === 'none') return false;
  if (env.GCE_METADATA_HOST || env.K_SERVICE || env.CLOUD_RUN_JOB) return true;
  return !!(await readTextFile(files, '/sys/class/dmi/id/product_name'))?.startsWith('Google');
}

/** The file that `gcloud auth application-default login` writes. */
export function getGcloudCredentialsPath(env: Env): string {
  const directory = env.APPDATA ? `${env.APPDATA}/gcloud` : `${env.HOME ?? ''}/.config/gcloud`;
  return `${env.CLOUDSDK_CONFIG || directory}/application_default_credentials.json`;
}

/** `undefined` if there is no such file. Without white space at its ends. */
export async function readTextFile(files: CloudFiles, path: string): Promise<string | undefined> {
  if ((await files.info(path))?.kind !== 'file') return undefined;
  const bytes = await files.read(path).catch(() => undefined);
  return bytes && new TextDecoder().decode(bytes).trim();
}
