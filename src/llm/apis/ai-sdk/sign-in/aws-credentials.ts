// Reads AWS credentials from a profile, and from the JSON of commands and container endpoints.
import { createMalformedFault, ProviderFault } from '../../../http/provider-fault.ts';
import type { Section } from './aws-config.ts';
import type { Expiring } from './credential-request.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** The keys that a profile contains itself. */
export function readStaticCredentials(profile: Section): Expiring<AwsCredentials> | undefined {
  const [accessKeyId, secretAccessKey] = [profile.get('aws_access_key_id'), profile.get('aws_secret_access_key')];
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { value: { accessKeyId, secretAccessKey, sessionToken: profile.get('aws_session_token') } };
}

/** `from` names the source in errors, which do not quote the text, because it contains secrets. */
export function parseAwsCredentialsJson(text: string, from: string): Expiring<AwsCredentials> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw createMalformedFault(`${from} returned no credentials for Amazon Bedrock: the response is not JSON`);
  }
  const fields = Object(value) as Record<string, unknown>;
  const [accessKeyId, secretAccessKey] = [getText(fields.AccessKeyId), getText(fields.SecretAccessKey)];
  if (!accessKeyId || !secretAccessKey)
    throw createMalformedFault(`${from} returned no credentials for Amazon Bedrock`);
  const expires = Date.parse(String(fields.Expiration));
  return {
    value: { accessKeyId, secretAccessKey, sessionToken: getText(fields.SessionToken ?? fields.Token) },
    expires: Number.isFinite(expires) ? expires : undefined,
  };
}

export function createBedrockAuthFault(reason: string): ProviderFault {
  return new ProviderFault({ kind: 'auth' }, `Cannot authenticate with Amazon Bedrock: ${reason}`);
}

function getText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
