// First floor, llm: the headers that models.json adds to a request, and what of a request is secret. Pure.
import type { ApiRequest } from '../../../contracts/index.ts';

export function lowerCased({ headers = {} }: Pick<ApiRequest, 'headers'>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Headers from models.json may open doors too. */
export function secretsIn({ apiKey, headers = {} }: Pick<ApiRequest, 'apiKey' | 'headers'>): string[] {
  const doors = Object.entries(headers).filter(([name]) => /auth|key|token|secret|cookie/i.test(name));
  const values = [apiKey, ...doors.flatMap(([, value]) => [value, value.replace(/^\w+\s+/, '')])];
  return values.filter((value): value is string => !!value);
}
