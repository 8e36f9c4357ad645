// First floor, dialects: names as Opal writes them, with underscores, against names as they are written here. Pure.
import { isRecord } from '../../base/index.ts';

export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** What belongs to somebody else is left as it is: settings, the arguments of tools. */
const OPAQUE: ReadonlySet<string> = new Set(['settings', 'arguments', 'metadata']);

export function snakeKeys(value: unknown): unknown {
  return renamed(value, snake);
}

export function camelKeys(value: unknown): unknown {
  return renamed(value, camel);
}

function renamed(value: unknown, spell: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, spell));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [spell(key), OPAQUE.has(key) ? inner : renamed(inner, spell)]),
  );
}

/** The names of fields in a sentence. */
export function snakeWords(sentence: string): string {
  return sentence.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, snake);
}
