// Converts between camelCase names and the snake_case names of Opal.
import { isRecord } from '../../base/index.ts';

export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The keys inside these values are user data (settings, tool arguments, metadata) and are not converted. */
const OPAQUE_KEYS: ReadonlySet<string> = new Set(['settings', 'arguments', 'metadata']);

export function keysToSnakeCase(value: unknown): unknown {
  return renameKeys(value, toSnakeCase);
}

export function keysToCamelCase(value: unknown): unknown {
  return renameKeys(value, toCamelCase);
}

function renameKeys(value: unknown, convert: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, convert));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      convert(key),
      OPAQUE_KEYS.has(key) ? inner : renameKeys(inner, convert),
    ]),
  );
}
