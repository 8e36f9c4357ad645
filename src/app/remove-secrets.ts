// Removes values whose names suggest a secret, before settings are shown.
import { isRecord } from '../base/index.ts';

export const SECRET_NAME = /(api_?key|token|secret|password|passphrase|credentials?|authorization|cookie)$/i;

const URL_PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*?):[^/?#]*@/i;

/** Removes secrets at any depth, by their names, and passwords in URLs. */
export function removeSecrets<T>(value: T): T {
  if (typeof value === 'string') return hidePassword(value) as T;
  if (Array.isArray(value)) return value.map(removeSecrets) as T;
  if (!isRecord(value)) return value;
  const publicEntries = Object.entries(value).filter(([key]) => !SECRET_NAME.test(key));
  return Object.fromEntries(publicEntries.map(([key, inner]) => [key, removeSecrets(inner)])) as T;
}

/** Replaces the password in a URL. */
export function hidePassword(url: string): string {
  return url.replace(URL_PASSWORD, '$1:***@');
}
