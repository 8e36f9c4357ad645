// First floor, llm: the headers that models.json adds to a request, and what of a request is secret. Pure.
import type { ApiRequest } from '../../contracts/index.ts';
import { secretsInAddress } from './address.ts';

/** Values of such headers are secrets, whoever wrote them. */
export const SECRET_HEADER = /auth|key|token|secret|cookie/i;

/** Formats look for their own headers among these, so one spelling has to do. */
export function lowerCased({ headers = {} }: Pick<ApiRequest, 'headers'>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

type WithSecrets = Pick<ApiRequest, 'apiKey' | 'headers'> & { model?: Pick<ApiRequest['model'], 'baseUrl'> };

/**
 * The key, what is secret in the address, and the values of headers that sign in: whole, without the word before (`Bearer`),
 * and as what `Basic` stands for.
 */
export function secretsOf({ apiKey, headers = {}, model }: WithSecrets): string[] {
  const signing = Object.entries(headers).filter(([name]) => SECRET_HEADER.test(name));
  const values = [apiKey, ...signing.flatMap(([, value]) => [value, value.replace(/^\w+\s+/, ''), ...basicIn(value)])];
  const inAddress = model ? secretsInAddress(model.baseUrl) : [];
  return [...values, ...inAddress].filter((value): value is string => !!value);
}

/** User and password of basic authorization, and the password alone. */
function basicIn(value: string): string[] {
  const [, encoded] = /^basic\s+(\S+)$/i.exec(value) ?? [];
  if (encoded === undefined) return [];
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  return [pair, pair.slice(pair.indexOf(':') + 1)];
}
