// Removes values whose names suggest a secret, before settings are shown.
import { isRecord } from '../base/index.ts';

export const SECRET_NAME = /(api_?key|token|secret|password|passphrase|credentials?|authorization|cookie)$/i;

/** Removes secrets at any depth, by their names. */
export function removeSecrets<T>(value: T): T {
  if (Array.isArray(value)) return value.map(removeSecrets) as T;
  if (!isRecord(value)) return value;
  const publicEntries = Object.entries(value).filter(([key]) => !SECRET_NAME.test(key));
  return Object.fromEntries(publicEntries.map(([key, inner]) => [key, removeSecrets(inner)])) as T;
}
