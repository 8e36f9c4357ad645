// First floor, llm: the headers that models.json adds to a request, and what of a request is secret. Pure.
import type { ApiRequest } from '../../contracts/index.ts';

/** Values of such headers are secrets, whoever wrote them. */
export const SECRET_HEADER = /auth|key|token|secret|cookie/i;

/** Formats look for their own headers among these, so one spelling has to do. */
export function lowerCased({ headers = {} }: Pick<ApiRequest, 'headers'>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The key, and what opens doors in headers: whole, and without the word before it (`Bearer`). */
export function secretsOf({ apiKey, headers = {} }: Pick<ApiRequest, 'apiKey' | 'headers'>): string[] {
  const doors = Object.entries(headers).filter(([name]) => SECRET_HEADER.test(name));
  const values = [apiKey, ...doors.flatMap(([, value]) => [value, value.replace(/^\w+\s+/, '')])];
  return values.filter((value): value is string => !!value);
}
