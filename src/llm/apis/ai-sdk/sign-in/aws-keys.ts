// First floor, llm: keys of Amazon in the spellings in which its keepers hand them out. Pure.
import { malformed, ProviderFault } from '../../../http/failure.ts';
import type { Good } from './exchange.ts';

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** `values` by their names in any spelling; `from` is named when they are not whole. */
export function keysIn(values: Readonly<Record<string, unknown>>, from: string): Good<AwsKeys> {
  const said = new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]));
  const [accessKeyId, secretAccessKey] = [textIn(said, 'accesskeyid'), textIn(said, 'secretaccesskey')];
  if (!accessKeyId || !secretAccessKey) throw malformed(`${from} gave no keys for Amazon Bedrock`);
  const sessionToken = textIn(said, 'sessiontoken') ?? textIn(said, 'token');
  return { value: { accessKeyId, secretAccessKey, sessionToken }, expires: timeIn(said.get('expiration')) };
}

/** Nothing that was read is repeated: it holds secrets. */
export function keysInJson(text: string, from: string, inside?: string): Good<AwsKeys> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed(`${from} gave no keys for Amazon Bedrock, but something that is no JSON`);
  }
  const record = Object(value) as Record<string, unknown>;
  return keysIn(inside === undefined ? record : (Object(record[inside]) as Record<string, unknown>), from);
}

export function locked(why: string): ProviderFault {
  return new ProviderFault({ kind: 'auth' }, `Amazon Bedrock cannot be opened: ${why}`);
}

function textIn(said: ReadonlyMap<string, unknown>, name: string): string | undefined {
  const value = said.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A date, or milliseconds. */
function timeIn(value: unknown): number | undefined {
  const time = typeof value === 'number' ? value : Date.parse(String(value));
  return Number.isFinite(time) ? time : undefined;
}
