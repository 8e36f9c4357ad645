// Parses AWS credentials in the spellings of the different AWS services.
import { createMalformedFault, ProviderFault } from '../../../http/provider-fault.ts';
import type { Expiring } from './request-credential.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** `values` by name in any letter case. `from` names the source in errors. */
export function parseAwsCredentials(values: Readonly<Record<string, unknown>>, from: string): Expiring<AwsCredentials> {
  const fields = new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]));
  const [accessKeyId, secretAccessKey] = [getText(fields, 'accesskeyid'), getText(fields, 'secretaccesskey')];
  if (!accessKeyId || !secretAccessKey)
    throw createMalformedFault(`${from} returned no credentials for Amazon Bedrock`);
  const sessionToken = getText(fields, 'sessiontoken') ?? getText(fields, 'token');
  return { value: { accessKeyId, secretAccessKey, sessionToken }, expires: parseExpiry(fields.get('expiration')) };
}

/** Errors do not quote the text, because it contains secrets. */
export function parseAwsCredentialsJson(text: string, from: string, property?: string): Expiring<AwsCredentials> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw createMalformedFault(`${from} returned no credentials for Amazon Bedrock: the response is not JSON`);
  }
  const record = Object(value) as Record<string, unknown>;
  return parseAwsCredentials(
    property === undefined ? record : (Object(record[property]) as Record<string, unknown>),
    from,
  );
}

export function createBedrockAuthFault(reason: string): ProviderFault {
  return new ProviderFault({ kind: 'auth' }, `Cannot authenticate with Amazon Bedrock: ${reason}`);
}

function getText(fields: ReadonlyMap<string, unknown>, name: string): string | undefined {
  const value = fields.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A date, or milliseconds since 1970. */
function parseExpiry(value: unknown): number | undefined {
  const time = typeof value === 'number' ? value : Date.parse(String(value));
  return Number.isFinite(time) ? time : undefined;
}
