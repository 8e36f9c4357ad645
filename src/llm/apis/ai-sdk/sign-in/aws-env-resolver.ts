// Resolves the AWS profile and adds its region and credentials to the environment.
import { type AwsConfig, createAwsConfigReader, type Env } from './aws-config.ts';
import type { AwsCredentialContext, AwsPorts } from './aws-credential-sources.ts';
import { type AwsCredentials, readStaticCredentials } from './aws-credentials.ts';
import { createExpiringCache, type Expiring } from './credential-request.ts';

/** Used when neither the environment nor the profile names a region. */
const DEFAULT_REGION = 'us-east-1';

/** The environment variables override the settings of the profile. */
export function createAwsEnvResolver(env: Env, ports: AwsPorts): () => Promise<Env> {
  const readConfig = createAwsConfigReader(env, ports.files);
  const getCached = createExpiringCache<AwsCredentials | undefined>(ports.clock);
  const name = env.AWS_PROFILE || 'default';
  return async () => {
    const config = await readConfig();
    const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || config.profile(name)?.get('region');
    if (env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY) return { ...env, AWS_REGION: region };
    const context = { ports, env, config, region: region ?? DEFAULT_REGION };
    const credentials = await getCached(config, () => loadCredentials(context, name));
    return {
      ...env,
      AWS_REGION: region,
      ...(credentials && {
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
        AWS_SESSION_TOKEN: credentials.sessionToken,
      }),
    };
  };
}

/** The default profile is used only if it contains credential settings. */
async function loadCredentials(
  context: AwsCredentialContext,
  name: string,
): Promise<Expiring<AwsCredentials | undefined>> {
  const profile = context.config.profile(name);
  const keys = profile && !profile.has('role_arn') ? readStaticCredentials(profile) : undefined;
  // The code for other sources is not loaded for keys.
  if (keys) return keys;
  const { loadEnvironmentCredentials, loadProfileCredentials } = await import('./aws-credential-sources.ts');
  if (context.env.AWS_PROFILE || hasCredentialSettings(context.config, name))
    return loadProfileCredentials(context, name);
  // Missing credentials are searched for again with the next request.
  return (await loadEnvironmentCredentials(context)) ?? { value: undefined, expires: 0 };
}

const CREDENTIAL_SETTINGS = [
  'aws_access_key_id',
  'credential_process',
  'login_session',
  'role_arn',
  'sso_session',
  'sso_start_url',
];

function hasCredentialSettings(config: AwsConfig, name: string): boolean {
  return CREDENTIAL_SETTINGS.some((key) => config.profile(name)?.has(key));
}
